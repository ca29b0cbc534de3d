public import CExploredPoints
public import Synchronization

/// A mutex at which an exploration of interleavings can preempt a task.
///
/// It takes the place of `Synchronization.Mutex` in code under test, and has the same interface
/// and size. In an exploration, any other task may run before the lock is acquired and after it
/// is released, and a task that waits for it does not block the thread. Elsewhere it is a
/// `Mutex`: each call first reads a pointer, which is `nil` unless the process explores
/// interleavings.
///
/// ```swift
/// final class Stock: Sendable {
///   private let left = ExploredMutex(1)
///   func take() -> Bool {
///     left.withLock { left in
///       guard left > 0 else { return false }
///       left -= 1
///       return true
///     }
///   }
/// }
/// ```
///
/// This module links neither the engine nor a test library, so production code may import it.
@frozen
public struct ExploredMutex<Value: ~Copyable>: ~Copyable {
  @usableFromInline let mutex: Mutex<Value>

  /// Creates an unlocked mutex.
  ///
  /// - Parameter initialValue: The value that it protects.
  @inlinable
  public init(_ initialValue: consuming sending Value) { mutex = Mutex(initialValue) }

  /// Acquires the lock, waiting for it if necessary, calls a function with the value, and releases
  /// the lock.
  ///
  /// The lock is not recursive.
  ///
  /// - Parameter body: Receives exclusive access to the value.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    guard let hooks = explored_current_hooks() else { return try mutex.withLock(body) }
    return try withExploredLock(hooks.pointee, body)
  }

  /// Acquires the lock if it is free, calls a function with the value, and releases the lock.
  ///
  /// - Parameter body: Receives exclusive access to the value.
  /// - Returns: The result of `body`, or `nil` if the lock is held.
  /// - Throws: The error that `body` throws.
  @inlinable
  public borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result? {
    guard let hooks = explored_current_hooks() else { return try mutex.withLockIfAvailable(body) }
    return try withExploredLockIfAvailable(hooks.pointee, body)
  }

  @usableFromInline
  borrowing func withExploredLock<Result: ~Copyable, E: Error>(
    _ hooks: explored_hooks, _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    let object = address
    hooks.will_access(object, Int32(EXPLORED_LOCK))
    defer { hooks.did_access(object, Int32(EXPLORED_LOCK)) }
    repeat {
      if let result = try tryLock(hooks, object, body) { return result }
    } while hooks.wait(object)
    return try mutex.withLock(body)
  }

  @usableFromInline
  borrowing func withExploredLockIfAvailable<Result: ~Copyable, E: Error>(
    _ hooks: explored_hooks, _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result? {
    let object = address
    hooks.will_access(object, Int32(EXPLORED_TRY_LOCK))
    defer { hooks.did_access(object, Int32(EXPLORED_TRY_LOCK)) }
    return try tryLock(hooks, object, body)
  }

  private borrowing func tryLock<Result: ~Copyable, E: Error>(
    _ hooks: explored_hooks, _ object: UnsafeRawPointer,
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result? {
    try mutex.withLockIfAvailable { value throws(E) in
      hooks.did_acquire(object)
      // Swift 6.2 rejects `body(&value)`, because it does not see that the value stays in the lock. It is moved out and
      // back.
      nonisolated(unsafe) var moved = value
      do throws(E) {
        let result = try body(&moved)
        value = moved
        return result
      } catch {
        value = moved
        throw error
      }
    }
  }

  /// A mutex has a fixed address while it exists.
  private var address: UnsafeRawPointer { withUnsafePointer(to: mutex) { UnsafeRawPointer($0) } }
}

// Unchecked, because the compiler sees the mutex leave through a pointer. It is sound because that
// pointer only identifies the lock, and `Mutex` is Sendable whatever it protects.
extension ExploredMutex: @unchecked Sendable where Value: ~Copyable {}
