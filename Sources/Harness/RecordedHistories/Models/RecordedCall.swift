/// A call in a recorded history.
public struct RecordedCall: Sendable, Hashable {
  /// The name of the function.
  public var function: String
  /// The key, in models with keys.
  public var key: RecordedValue?
  /// The argument; several arguments are an array.
  public var value: RecordedValue

  /// Creates a call of a function.
  public init(_ function: String, key: RecordedValue? = nil, value: RecordedValue = .null) {
    self.function = function
    self.key = key
    self.value = value
  }
}

extension RecordedCall: CustomStringConvertible {
  /// The call with its arguments, such as `put("a", 1)`.
  public var description: String {
    var arguments = key.map { [$0] } ?? []
    switch value {
    case .null: break
    case .array(let values) where function == "cas": arguments += values
    default: arguments.append(value)
    }
    return arguments.isEmpty
      ? function : "\(function)(\(arguments.map(\.description).joined(separator: ", ")))"
  }
}

/// The response to a call in a recorded history.
public enum RecordedResponse: Sendable, Hashable, CustomStringConvertible {
  /// The call returned nothing.
  case done
  case value(RecordedValue)

  public var description: String {
    switch self {
    case .done: "done"
    case .value(let value): "\(value)"
    }
  }
}

/// A function of a model: what it takes, what it returns, and whether it changes the state.
public struct RecordedFunction: Sendable {
  /// The argument of a function.
  public enum Argument: Sendable {
    case none
    case any
    /// Any value but `null`, which means that there is none.
    case present
    case integer
    case string
    /// An array of the old and the new value.
    case pair
  }

  /// The result of a function.
  public enum Result: Sendable {
    case none
    case value
    case integer
    /// An array of values in any order.
    case values
    /// A Boolean. If it is not recorded, it may have been either. `false` means that nothing changed.
    case flag
    /// The same, except that an `ok` without a result means `true`.
    case success
  }

  var argument: Argument
  var result: Result
  var isReadOnly: Bool

  /// Describes a function.
  public init(_ argument: Argument, _ result: Result = .none, isReadOnly: Bool = false) {
    self.argument = argument
    self.result = result
    self.isReadOnly = isReadOnly
  }

  /// Whether the value of an `ok` event is the response, and not a copy of the argument.
  var answersInValue: Bool { argument == .none && result != .none }

  /// Checks an argument.
  func check(_ call: RecordedCall) throws(LinearizabilityFileError.Problem) {
    let needs: String
    switch (argument, call.value) {
    case (.none, _), (.any, _), (.integer, .integer), (.string, .string): return
    case (.pair, .array(let values)) where values.count == 2: return
    case (.present, let value) where value != .null: return
    case (.integer, _): needs = "an integer"
    case (.string, _): needs = "a string"
    case (.pair, _): needs = "an array of the old and the new value"
    case (.present, _): needs = "another value than null, which means that there is none"
    }
    throw .badArgument(function: call.function, needs: needs)
  }

  /// The response that a recorded result stands for, or `nil` if it is unknown.
  func response(
    _ recorded: RecordedValue?, to call: RecordedCall
  ) throws(LinearizabilityFileError.Problem) -> RecordedResponse? {
    let needs: String
    switch (result, recorded) {
    case (.none, _): return .done
    case (.value, let value?): return .value(value)
    case (.integer, .integer(let number)?): return .value(.integer(number))
    case (.values, .array(let values)?): return .value(.set(values))
    case (.flag, nil), (.flag, .null?), (.success, nil), (.success, .null?): return nil
    case (.flag, .bool(let flag)?), (.success, .bool(let flag)?): return .value(.bool(flag))
    case (.value, nil): needs = "the value that it returned"
    case (.integer, _): needs = "an integer"
    case (.values, _): needs = "an array of the values"
    case (.flag, _), (.success, _): needs = "true or false"
    }
    throw .badResult(function: call.function, needs: needs)
  }
}
