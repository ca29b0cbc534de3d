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
  // Both are in one piece of memory, which begins with the lock, and stay at their addresses.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Guards a value that nothing else holds.
  @inlinable public init(_ value: consuming sending Value) {
    let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
    let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
    mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    self.value = (memory + offset).initializeMemory(as: Value.self, to: value)
  }

  @inlinable deinit {
    value.deinitialize(count: 1)
    pthread_mutex_destroy(mutex)
    UnsafeMutableRawPointer(mutex).deallocate()
  }

  /// Calls `body` with the value while no other thread is inside, and returns what it returns.
  ///
  /// - Throws: What `body` throws; the lock is given back first.
  @inlinable public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
