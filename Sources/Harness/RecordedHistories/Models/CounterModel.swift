/// A model of a 64-bit counter that wraps on overflow.
public struct CounterModel: RecordedModel {
  public static let functions: [String: RecordedFunction] = [
    "read": .init(.none, .integer, isReadOnly: true), "add": .init(.integer),
    "addAndGet": .init(.integer, .integer),
  ]

  /// The counter's initial value.
  public let initialState: Int

  /// Creates a model of a counter, which starts at 0 if `initial` is not an integer.
  public init(initial: RecordedValue? = nil) {
    if case .integer(let value)? = initial { initialState = value } else { initialState = 0 }
  }

  /// - Returns: For `addAndGet`, the sum.
  public func apply(_ command: RecordedCall, to state: inout Int) -> RecordedResponse {
    if case .integer(let amount) = command.value { state &+= amount }
    return command.function == "add" ? .done : .value(.integer(state))
  }
}

extension RecordedCall {
  /// Adds a number to a counter and returns the sum.
  public static func addAndGet(_ amount: RecordedValue) -> Self {
    .init("addAndGet", value: amount)
  }
}
