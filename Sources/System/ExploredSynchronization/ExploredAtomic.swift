public import CExploredPoints
public import Synchronization

/// An atomic value at whose accesses an exploration of interleavings can preempt a task.
///
/// It takes the place of `Synchronization.Atomic` in code under test, and has the same interface
/// and size. In an exploration, any other task may run before and after each access. Elsewhere it
/// is an `Atomic`: each call first reads a pointer, which is `nil` unless the process explores
/// interleavings.
///
/// An exploration runs on one thread, so every access is sequentially consistent there, whatever
/// ordering it names. What only a weaker ordering allows is not explored.
@frozen
public struct ExploredAtomic<Value: AtomicRepresentable>: ~Copyable {
  @usableFromInline let atomic: Atomic<Value>

  /// Creates an atomic value.
  ///
  /// - Parameter initialValue: The value.
  @inlinable
  public init(_ initialValue: consuming Value) { atomic = Atomic(initialValue) }

  /// Lets other tasks run before an access.
  ///
  /// - Returns: The hooks to pass to ``didAccess(_:)``.
  @inlinable @inline(__always)
  borrowing func willAccess() -> UnsafePointer<explored_hooks>? {
    guard let hooks = explored_current_hooks() else { return nil }
    hooks.pointee.will_access(address, Int32(EXPLORED_ATOMIC))
    return hooks
  }

  /// Lets other tasks run after an access.
  @inlinable @inline(__always)
  borrowing func didAccess(_ hooks: UnsafePointer<explored_hooks>?) {
    if let hooks { hooks.pointee.did_access(address, Int32(EXPLORED_ATOMIC)) }
  }

  /// An atomic value has a fixed address while it exists.
  @inlinable
  var address: UnsafeRawPointer { withUnsafePointer(to: atomic) { UnsafeRawPointer($0) } }
}

extension ExploredAtomic: @unchecked Sendable where Value: Sendable {}
