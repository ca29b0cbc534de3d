// For POSIX mutexes: Foundation would be most of what this module takes to compile.
public import CPlatform

/// A value that only one thread at a time may access, with the interface of
/// `Synchronization.Mutex`.
///
/// The lock is a POSIX mutex and not recursive: a thread that acquires it twice deadlocks.
///
/// `Synchronization.Mutex` is not used for three reasons. On Linux it waits in a futex that the
/// Thread Sanitizer does not see, so every contended use is reported as a race. It is inlined into
/// its caller, so a tool cannot intercept it. And it is slower in two of four cases. Nanoseconds
/// per operation on Linux x86-64 with two cores, optimised, medians of 21 rounds in one process:
///
/// | operation | this type | `Synchronization.Mutex` |
/// |---|---|---|
/// | `withLock`, uncontended | 25 | 22 |
/// | `withLock`, two threads without other work | 79 | 103 |
/// | `withLock`, two threads with other work | 144 | 109 |
/// | creation and destruction | 52 | 58 |
///
/// The module is not a product. Its declarations are `public` because the compiler neither
/// specialises nor inlines `package` ones.
///
/// Unchecked, and sound: the lock and the value live at fixed addresses in memory that the mutex
/// allocates. The value is reached only through `withLock`, with the lock held; it came in as
/// `sending`, and `body` receives and leaves it as `sending`.
public struct Mutex<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let memory: UnsafeMutableRawPointer

  /// Creates an unlocked mutex with a value.
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

  /// Calls `body` with the lock held, and returns its result.
  ///
  /// - Throws: Any error that `body` throws. The lock is released first.
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

  /// The value's offset from the lock, in bytes.
  @usableFromInline static var valueOffset: Int {
    @inlinable get {
      let alignment = MemoryLayout<Value>.alignment
      return (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    }
  }
}
