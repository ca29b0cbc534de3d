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
///
/// A value takes at most eight bytes, so `WordPair` is none.
@frozen
public struct ExploredAtomic<Value: AtomicRepresentable>: ~Copyable
where Value.AtomicRepresentation: ExploredRepresentation {
  @usableFromInline let atomic: Atomic<Value>

  /// Creates an atomic value.
  ///
  /// - Parameter initialValue: The value.
  @inlinable
  public init(_ initialValue: consuming Value) { atomic = Atomic(initialValue) }

  /// Accesses the value's memory, where an exploration lets other tasks run before and after.
  @inlinable @inline(__always)
  borrowing func access<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    // An `Atomic` has a fixed address while it exists, and is laid out like its representation.
    let address = withUnsafePointer(to: atomic) { UnsafeMutableRawPointer(mutating: $0) }
    guard let hooks = explored_current_hooks() else { return body(address) }
    hooks.pointee.will_access(address, Int32(EXPLORED_ATOMIC))
    defer { hooks.pointee.did_access(address, Int32(EXPLORED_ATOMIC)) }
    return body(address)
  }
}

// Unchecked, because the compiler sees the memory leave through a pointer. It is sound because
// every access to that memory is atomic, and the value itself may be sent.
extension ExploredAtomic: @unchecked Sendable where Value: Sendable {}

/// How an ``ExploredAtomic`` stores its value: in one, two, four or eight bytes.
public protocol ExploredRepresentation: BitwiseCopyable {}

extension _Atomic8BitStorage: ExploredRepresentation {}
extension _Atomic16BitStorage: ExploredRepresentation {}
extension _Atomic32BitStorage: ExploredRepresentation {}
extension _Atomic64BitStorage: ExploredRepresentation {}
