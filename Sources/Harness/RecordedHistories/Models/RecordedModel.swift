/// A model whose commands and responses can be read from, and written to, a recorded history.
public protocol RecordedModel: SequentialModel {
  /// Creates a model with an initial value; models without one ignore it.
  init(initial: RecordedValue?)

  /// The command of a recorded call.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem`` if the model has no such command.
  static func command(_ call: RecordedCall) throws(LinearizabilityFileError.Problem) -> Command

  /// A command in its recorded form.
  static func call(_ command: Command) -> RecordedCall

  /// Whether the value of a command's `ok` event is its response, not a copy of its argument.
  static func answersInValue(_ command: Command) -> Bool

  /// Whether the value of a command's `ok` event may be `null` because it was not recorded.
  ///
  /// The default is `false`.
  static func mayOmitValue(_ command: Command) -> Bool

  /// The response that a command's `fail` event may stand for, or `nil` if a call that failed did not
  /// happen.
  ///
  /// The default is `nil`.
  static func failure(of command: Command) -> Response?

  /// A state in words, on one line. The default is the state's description.
  static func text(of state: State) -> String

  /// The response to a command.
  ///
  /// - Parameters:
  ///   - result: The recorded result, or `nil` if the line has none.
  ///   - command: The command.
  /// - Returns: The response, or `nil` if it is unknown.
  /// - Throws: ``LinearizabilityFileError/Problem`` if the command cannot have this result.
  static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response?

  /// A response in its recorded form.
  static func result(_ response: Response) -> RecordedValue
}

/// A command in the form of a recorded history.
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

  /// The two arguments of a compare-and-set.
  func pair() throws(LinearizabilityFileError.Problem) -> (RecordedValue, RecordedValue) {
    guard case .array(let values) = value, values.count == 2 else {
      throw .badArgument(function: function, needs: "an array of the old and the new value")
    }
    return (values[0], values[1])
  }

  /// The argument of a function that needs an integer.
  func integer() throws(LinearizabilityFileError.Problem) -> Int {
    guard case .integer(let value) = value else {
      throw .badArgument(function: function, needs: "an integer")
    }
    return value
  }
}

extension RecordedModel {
  /// Returns `false`.
  public static func mayOmitValue(_ command: Command) -> Bool { false }

  /// Returns `nil`.
  public static func failure(of command: Command) -> Response? { nil }

  /// Returns the state's description.
  public static func text(of state: State) -> String { "\(state)" }

  /// A recorded Boolean, or `nil` if none is recorded.
  package static func flag(
    _ result: RecordedValue?, _ command: Command
  ) throws(LinearizabilityFileError.Problem) -> Bool? {
    switch result {
    case nil, .null: return nil
    case .bool(let flag): return flag
    default: throw .badResult(function: call(command).function, needs: "true or false")
    }
  }

  /// A recorded value, which must not be missing.
  package static func stated(
    _ result: RecordedValue?, _ command: Command
  ) throws(LinearizabilityFileError.Problem) -> RecordedValue {
    guard let result else {
      throw .badResult(function: call(command).function, needs: "the value that it returned")
    }
    return result
  }
}

/// A model of a history in which some responses were not recorded. Those may have been any.
public struct PartlyStated<Base: SequentialModel>: SequentialModel {
  /// A command, and whether its response was recorded.
  public struct Command: Sendable, Hashable, CustomStringConvertible {
    /// The command of the base model.
    public let base: Base.Command
    /// Whether the response was recorded, so that it must agree with the model.
    public let isStated: Bool

    public var description: String { base.description }
  }

  /// A response, with `?` as the description of one that was not recorded.
  public struct Response: Sendable, Equatable, CustomStringConvertible {
    /// The response, or `nil` if none was recorded.
    public let base: Base.Response?

    public var description: String { base.map { "\($0)" } ?? "?" }
  }

  /// The model of the commands.
  public let base: Base

  /// Creates a model of histories with unknown responses.
  public init(base: Base) { self.base = base }

  public var initialState: Base.State { base.initialState }

  public func apply(_ command: Command, to state: inout Base.State) -> Response {
    let response = base.apply(command.base, to: &state)
    return Response(base: command.isStated ? response : nil)
  }

  public func isReadOnly(_ command: Command) -> Bool { base.isReadOnly(command.base) }

  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    guard let response = response.base else { return base.isReadOnly(command.base) }
    return base.isReadOnly(command.base, returning: response)
  }

  public func partition(of command: Command) -> AnyHashable? { base.partition(of: command.base) }
}
