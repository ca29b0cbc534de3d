/// A model of a set. Each value is a partition, unless the history has a `read`.
public struct SetModel: RecordedModel {
  public static let functions: [String: RecordedFunction] = [
    "add": .init(.any, .flag), "remove": .init(.any, .flag),
    "contains": .init(.any, .flag, isReadOnly: true),
    "read": .init(.none, .values, isReadOnly: true),
  ]

  public var initialState: Set<RecordedValue> { [] }

  /// Creates a model of an empty set.
  public init() {}

  /// - Returns: Whether the set changed; for `contains`, whether it contains the value.
  public func apply(
    _ command: RecordedCall, to state: inout Set<RecordedValue>
  ) -> RecordedResponse {
    switch command.function {
    case "add": .value(.bool(state.insert(command.value).inserted))
    case "remove": .value(.bool(state.remove(command.value) != nil))
    case "contains": .value(.bool(state.contains(command.value)))
    case "read": .value(.set(Array(state)))
    default: .done
    }
  }

  public func partition(of command: RecordedCall) -> AnyHashable? {
    command.function == "read" ? nil : AnyHashable(command.value)
  }
}

extension RecordedCall {
  /// Adds a value to a set, or a number to a counter.
  public static func add(_ value: RecordedValue) -> Self { .init("add", value: value) }

  /// Removes a value of a set.
  public static func remove(_ value: RecordedValue) -> Self { .init("remove", value: value) }

  /// Whether a set contains a value.
  public static func contains(_ value: RecordedValue) -> Self { .init("contains", value: value) }
}

extension RecordedValue {
  /// Values in one order, each once.
  static func set(_ values: [RecordedValue]) -> Self {
    .array(Set(values).sorted { $0.description < $1.description })
  }
}
