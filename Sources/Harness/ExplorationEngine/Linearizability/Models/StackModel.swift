/// A last-in-first-out stack.
public struct StackModel: SequentialModel {
  /// A call on the stack.
  public enum Command: Sendable, Hashable {
    case push(RecordedValue)
    case pop
  }

  /// What a call gives back: `done`, or the newest value, `nil` if the stack was empty.
  public typealias Response = QueueModel.Response

  public var initialState: [RecordedValue] { [] }

  /// An empty stack.
  public init() {}

  public func apply(_ command: Command, to state: inout [RecordedValue]) -> Response {
    switch command {
    case .push(let value):
      state.append(value)
      return .done
    case .pop:
      return .value(state.popLast())
    }
  }
}

extension StackModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .push(let value): "push(\(value))"
    case .pop: "pop"
    }
  }
}
