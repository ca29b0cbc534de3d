/// A model of a lock with one owner at a time.
public struct LockModel: SequentialModel {
  /// A call by an owner.
  public enum Command: Sendable, Hashable {
    /// Acquires the lock if it is free.
    case acquire(owner: RecordedValue)
    /// Releases the lock if this owner holds it.
    case release(owner: RecordedValue)
  }

  /// The owner, or `nil` if the lock is free.
  public var initialState: RecordedValue? { nil }

  /// Creates a model of a free lock.
  public init() {}

  /// - Returns: Whether the call took effect.
  public func apply(_ command: Command, to state: inout RecordedValue?) -> Bool {
    switch command {
    case .acquire(let owner):
      guard state == nil else { return false }
      state = owner
    case .release(let owner):
      guard state == owner else { return false }
      state = nil
    }
    return true
  }

  public func isReadOnly(_ command: Command, returning response: Bool) -> Bool { !response }
}

extension LockModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .acquire(let owner): "acquire(owner: \(owner))"
    case .release(let owner): "release(owner: \(owner))"
    }
  }
}
