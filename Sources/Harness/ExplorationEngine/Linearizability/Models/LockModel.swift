/// A mutual-exclusion lock, held by one owner at a time.
public struct LockModel: SequentialModel {
  /// A call by an owner.
  public enum Command: Sendable, Hashable {
    /// Takes the lock if nobody holds it.
    case acquire(owner: RecordedValue)
    /// Gives the lock back if this owner holds it.
    case release(owner: RecordedValue)
  }

  /// The owner, or `nil` while the lock is free.
  public var initialState: RecordedValue? { nil }

  /// A lock that nobody holds.
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
}

extension LockModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .acquire(let owner): "acquire(owner: \(owner))"
    case .release(let owner): "release(owner: \(owner))"
    }
  }
}
