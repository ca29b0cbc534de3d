/// A model of a FIFO queue.
public struct QueueModel: RecordedModel {
  public static let functions: [String: RecordedFunction] = [
    "enqueue": .init(.present), "dequeue": .init(.none, .value),
  ]

  public var initialState: [RecordedValue] { [] }

  /// Creates a model of an empty queue.
  public init() {}

  /// - Returns: For `dequeue`, the value, or `null` if the queue is empty.
  public func apply(_ command: RecordedCall, to state: inout [RecordedValue]) -> RecordedResponse {
    if command.function == "dequeue" {
      return .value(state.isEmpty ? .null : state.removeFirst())
    }
    if command.value != .null { state.append(command.value) }
    return .done
  }

  public func isReadOnly(_ command: RecordedCall, returning response: RecordedResponse) -> Bool {
    response == .value(nil)
  }
}

/// A model of a LIFO stack.
public struct StackModel: RecordedModel {
  public static let functions: [String: RecordedFunction] = [
    "push": .init(.present), "pop": .init(.none, .value),
  ]

  public var initialState: [RecordedValue] { [] }

  /// Creates a model of an empty stack.
  public init() {}

  /// - Returns: For `pop`, the value, or `null` if the stack is empty.
  public func apply(_ command: RecordedCall, to state: inout [RecordedValue]) -> RecordedResponse {
    if command.function == "pop" { return .value(state.popLast() ?? .null) }
    if command.value != .null { state.append(command.value) }
    return .done
  }

  public func isReadOnly(_ command: RecordedCall, returning response: RecordedResponse) -> Bool {
    response == .value(nil)
  }
}

extension RecordedCall {
  /// Adds a value to a queue.
  public static func enqueue(_ value: RecordedValue) -> Self { .init("enqueue", value: value) }

  /// Removes the first value of a queue.
  public static let dequeue = RecordedCall("dequeue")

  /// Adds a value to a stack.
  public static func push(_ value: RecordedValue) -> Self { .init("push", value: value) }

  /// Removes the last value of a stack.
  public static let pop = RecordedCall("pop")
}
