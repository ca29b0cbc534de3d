/// A model of a map from keys to values. Each key is a partition.
public struct KeyValueModel: RecordedModel {
  /// The value of an absent key: `null`, or `""` in stores without absence.
  public let initialValue: RecordedValue

  public static let functions: [String: RecordedFunction] = [
    "get": .init(.none, .value, isReadOnly: true), "put": .init(.any),
    "read": .init(.none, .value, isReadOnly: true), "write": .init(.any),
    "append": .init(.string), "cas": .init(.pair, .success), "delete": .init(.none, .flag),
  ]

  public static let hasKeys = true

  public var initialState: [RecordedValue: RecordedValue] { [:] }

  /// Creates a model of an empty map.
  public init(initial: RecordedValue? = nil) { initialValue = initial ?? .null }

  public func apply(
    _ command: RecordedCall, to state: inout [RecordedValue: RecordedValue]
  ) -> RecordedResponse {
    let key = command.key ?? .null
    switch (command.function, command.value) {
    case ("get", _), ("read", _): return .value(state[key] ?? initialValue)
    case ("put", let value), ("write", let value):
      state[key] = value
      return .done
    case ("append", .string(let text)):
      if case .string(let old)? = state[key] {
        state[key] = .string(old + text)
      } else {
        state[key] = .string(text)
      }
      return .done
    case ("cas", .array(let values)):
      guard values.count == 2, (state[key] ?? initialValue) == values[0] else {
        return .value(false)
      }
      state[key] = values[1]
      return .value(true)
    case ("delete", _): return .value(.bool(state.removeValue(forKey: key) != nil))
    default: return .done
    }
  }

  public func partition(of command: RecordedCall) -> AnyHashable? { command.key }
}

extension RecordedCall {
  /// Reads the value of a key.
  public static func get(_ key: RecordedValue) -> Self { .init("get", key: key) }

  /// Stores a value under a key.
  public static func put(_ key: RecordedValue, _ value: RecordedValue) -> Self {
    .init("put", key: key, value: value)
  }

  /// Appends text to the value of a key; an absent value counts as empty.
  public static func append(_ key: RecordedValue, _ text: String) -> Self {
    .init("append", key: key, value: .string(text))
  }

  /// Stores `new` under a key if its value is `old`.
  public static func cas(_ key: RecordedValue, old: RecordedValue, new: RecordedValue) -> Self {
    .init("cas", key: key, value: [old, new])
  }

  /// Removes the value of a key and returns whether there was one.
  public static func delete(_ key: RecordedValue) -> Self { .init("delete", key: key) }
}
