/// A model of a FIFO queue.
public struct QueueModel: SequentialModel {
  /// A call on the queue.
  public enum Command: Sendable, Hashable {
    case enqueue(RecordedValue)
    case dequeue
  }

  /// The result of a call.
  public enum Response: Sendable, Hashable {
    case done
    /// The value removed, or `nil` if there was none.
    case value(RecordedValue?)
  }

  public var initialState: [RecordedValue] { [] }

  /// Creates a model of an empty queue.
  public init() {}

  public func apply(_ command: Command, to state: inout [RecordedValue]) -> Response {
    switch command {
    case .enqueue(let value):
      state.append(value)
      return .done
    case .dequeue:
      return .value(state.isEmpty ? nil : state.removeFirst())
    }
  }

  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    response == .value(nil)
  }
}

extension QueueModel.Command: CustomStringConvertible {
  public var description: String {
    switch self {
    case .enqueue(let value): "enqueue(\(value))"
    case .dequeue: "dequeue"
    }
  }
}

extension QueueModel.Response: CustomStringConvertible {
  public var description: String {
    switch self {
    case .done: "done"
    case .value(let value): value.map(\.description) ?? "empty"
    }
  }
}
