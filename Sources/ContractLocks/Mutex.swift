#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value that one thread at a time may touch, with the interface of `Synchronization.Mutex`.
///
/// The standard library's own would do, but for one thing: on Linux it waits in a futex that the
/// Thread Sanitizer does not see, so every contended use is reported as a race, and a real race
/// would drown among them. This one is a POSIX mutex, which the sanitizer knows. It is not
/// recursive: taking it again on the thread that holds it waits for ever.
///
/// The module is no product, and what is in it is `public` for the compiler's sake alone, which
/// neither specializes nor inlines what is `package`.
///
/// Unchecked, and sound: the value is reached through `withLock` alone, while the lock is held, it
/// came in as `sending`, and `body` gets and leaves it as `sending`.
public struct Mutex<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let storage: ManagedBuffer<Value, pthread_mutex_t>

  /// Guards a value that nothing else holds.
  @inlinable public init(_ value: consuming sending Value) {
    storage = Storage.create(holding: value)
  }

  /// Calls `body` with the value while no other thread is inside, and returns what it returns.
  ///
  /// - Throws: What `body` throws; the lock is given back first.
  @inlinable public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    // They point into the storage, which lives as long as this mutex.
    let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}

extension Mutex {
  /// The value and the lock in one piece of memory, at an address that does not change.
  @usableFromInline final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
    @inlinable static func create(holding value: Value) -> ManagedBuffer<Value, pthread_mutex_t> {
      create(minimumCapacity: 1) { storage in
        storage.withUnsafeMutablePointerToElements { mutex in
          mutex.initialize(to: pthread_mutex_t())
          pthread_mutex_init(mutex, nil)
        }
        return value
      }
    }

    deinit {
      withUnsafeMutablePointerToElements { mutex in
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
      }
    }
  }
}
