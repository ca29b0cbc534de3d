/// A model of a set. Each value is a partition, unless the history has a ``Command/read``.
public struct SetModel: SequentialModel {
  /// A call on the set.
  public enum Command: Sendable, Hashable {
    case add(RecordedValue)
    case remove(RecordedValue)
    case contains(RecordedValue)
    /// Reads all values.
    case read
  }

  /// The result of a call.
  public enum Response: Sendable, Hashable {
    /// Whether the set changed; for `contains`, whether it contains the value.
    case flag(Bool)
    case values(Set<RecordedValue>)
  }

  public var initialState: Set<RecordedValue> { [] }

  /// Creates a model of an empty set.
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

  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    isReadOnly(command) || response == .flag(false)
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
