/// A set of values, each value on its own.
public struct SetModel: SequentialModel {
  /// A call on one value.
  public enum Command: Sendable, Hashable {
    case add(RecordedValue)
    case remove(RecordedValue)
    case contains(RecordedValue)
  }

  public var initialState: Set<RecordedValue> { [] }

  /// An empty set.
  public init() {}

  /// - Returns: Whether the set changed, or, for `contains`, whether it holds the value.
  public func apply(_ command: Command, to state: inout Set<RecordedValue>) -> Bool {
    switch command {
    case .add(let value): state.insert(value).inserted
    case .remove(let value): state.remove(value) != nil
    case .contains(let value): state.contains(value)
    }
  }

  public func isReadOnly(_ command: Command) -> Bool {
    if case .contains = command { return true }
    return false
  }

  public func partition(of command: Command) -> AnyHashable? {
    switch command {
    case .add(let value), .remove(let value), .contains(let value): value
    }
  }
}

extension SetModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .add(let value): "add(\(value))"
    case .remove(let value): "remove(\(value))"
    case .contains(let value): "contains(\(value))"
    }
  }
}
