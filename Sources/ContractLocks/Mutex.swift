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
public struct Mutex<Value>: ~Copyable, Sendable {
  @usableFromInline let storage: Storage

  /// Guards a value that nothing else holds.
  @inlinable public init(_ value: consuming sending Value) { storage = Storage(value) }

  /// Calls `body` with the value while no other thread is inside, and returns what it returns.
  ///
  /// - Throws: What `body` throws; the lock is given back first.
  @inlinable public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(storage.mutex)
    defer { pthread_mutex_unlock(storage.mutex) }
    return try body(&storage.value.pointee)
  }
}

extension Mutex {
  /// The lock and the value, at addresses that do not change.
  ///
  /// The value has memory of its own, away from the object's header: the header is read before the
  /// lock is held, which the sanitizer takes for a race with writing a stored property.
  ///
  /// Unchecked, and sound: the value is reached through `withLock` alone, while the lock is held, it
  /// came in as `sending`, and `body` gets and leaves it as `sending`.
  @usableFromInline final class Storage: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @usableFromInline init(_ value: consuming sending Value) {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deinitialize(count: 1)
      mutex.deallocate()
    }
  }
}
