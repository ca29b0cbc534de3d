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
/// The lock and the value lie in memory of their own, at addresses that do not change. Unchecked, and
/// sound: the value is reached through `withLock` alone, while the lock is held, it came in as
/// `sending`, and `body` gets and leaves it as `sending`.
public struct Mutex<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let memory: UnsafeMutableRawPointer

  /// Guards a value that nothing else holds.
  @inlinable public init(_ value: consuming sending Value) {
    memory = .allocate(
      byteCount: Self.valueOffset + MemoryLayout<Value>.size,
      alignment: max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment))
    memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
    (memory + Self.valueOffset).initializeMemory(as: Value.self, to: value)
    pthread_mutex_init(lock, nil)
  }

  @inlinable deinit {
    value.deinitialize(count: 1)
    pthread_mutex_destroy(lock)
    memory.deallocate()
  }

  /// Calls `body` with the value while no other thread is inside, and returns what it returns.
  ///
  /// - Throws: What `body` throws; the lock is given back first.
  @inlinable public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }

  @usableFromInline var lock: UnsafeMutablePointer<pthread_mutex_t> {
    @inlinable get { memory.assumingMemoryBound(to: pthread_mutex_t.self) }
  }

  @usableFromInline var value: UnsafeMutablePointer<Value> {
    @inlinable get { (memory + Self.valueOffset).assumingMemoryBound(to: Value.self) }
  }

  /// How far behind the lock the value lies.
  @usableFromInline static var valueOffset: Int {
    @inlinable get {
      let alignment = MemoryLayout<Value>.alignment
      return (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    }
  }
}
