/// A model of a LIFO stack.
public struct StackModel: SequentialModel {
  /// A call on the stack.
  public enum Command: Sendable, Hashable {
    case push(RecordedValue)
    case pop
  }

  /// The result of a call: `done`, or the value removed, `nil` if there was none.
  public typealias Response = QueueModel.Response

  public var initialState: [RecordedValue] { [] }

  /// Creates a model of an empty stack.
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

  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    response == .value(nil)
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
