/// A model of one value with read, write and compare-and-set.
public struct RegisterModel: RecordedModel {
  /// The value before the first write.
  public let initialState: RecordedValue

  public static let functions: [String: RecordedFunction] = [
    "read": .init(.none, .value, isReadOnly: true), "write": .init(.any),
    "cas": .init(.pair, .success),
  ]

  /// Creates a model of a register, by default with `null`.
  public init(initial: RecordedValue? = nil) { initialState = initial ?? .null }

  public func apply(_ command: RecordedCall, to state: inout RecordedValue) -> RecordedResponse {
    switch (command.function, command.value) {
    case ("read", _): return .value(state)
    case ("write", let value):
      state = value
      return .done
    case ("cas", .array(let values)):
      guard values.count == 2, state == values[0] else { return .value(false) }
      state = values[1]
      return .value(true)
    default: return .done
    }
  }
}

extension RecordedCall {
  /// Reads the value of a register or a counter, or the values of a set.
  public static let read = RecordedCall("read")

  /// Writes to a register.
  public static func write(_ value: RecordedValue) -> Self { .init("write", value: value) }

  /// Stores `new` in a register if its value is `old`.
  public static func cas(old: RecordedValue, new: RecordedValue) -> Self {
    .init("cas", value: [old, new])
  }
}
