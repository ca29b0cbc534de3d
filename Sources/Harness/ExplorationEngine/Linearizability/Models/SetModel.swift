/// A set of values, each on its own unless somebody reads them all.
public struct SetModel: SequentialModel {
  /// A call on one value.
  public enum Command: Sendable, Hashable {
    case add(RecordedValue)
    case remove(RecordedValue)
    case contains(RecordedValue)
    /// Reads all values.
    case read
  }

  /// What a call gives back.
  public enum Response: Sendable, Hashable {
    /// Whether the set changed, or, for `contains`, whether it holds the value.
    case flag(Bool)
    case values(Set<RecordedValue>)
  }

  public var initialState: Set<RecordedValue> { [] }

  /// An empty set.
  public init() {}

  public func apply(_ command: Command, to state: inout Set<RecordedValue>) -> Response {
    switch command {
    case .add(let value): .flag(state.insert(value).inserted)
    case .remove(let value): .flag(state.remove(value) != nil)
    case .contains(let value): .flag(state.contains(value))
    case .read: .values(state)
    }
  }

  public func isReadOnly(_ command: Command) -> Bool {
    switch command {
    case .contains, .read: true
    case .add, .remove: false
    }
  }

  public func partition(of command: Command) -> AnyHashable? {
    switch command {
    case .add(let value), .remove(let value), .contains(let value): AnyHashable(value)
    case .read: nil
    }
  }
}

extension SetModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .add(let value): "add(\(value))"
    case .remove(let value): "remove(\(value))"
    case .contains(let value): "contains(\(value))"
    case .read: "read"
    }
  }
}

extension SetModel.Response: CustomStringConvertible {
  public var description: String {
    switch self {
    case .flag(let flag): "\(flag)"
    case .values(let values): "[" + values.map(\.description).sorted().joined(separator: ", ") + "]"
    }
  }
}
