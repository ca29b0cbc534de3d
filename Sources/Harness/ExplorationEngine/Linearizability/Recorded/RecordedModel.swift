/// A model whose commands and responses can be read from, and written to, a recorded history.
public protocol RecordedModel: SequentialModel {
  /// What the subject holds before anybody used it; models without one ignore it.
  init(initial: RecordedValue?)

  /// The command that a line describes.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem`` when the model has no such command.
  static func command(_ call: RecordedCall) throws(LinearizabilityFileError.Problem) -> Command

  /// A command as a line describes it.
  static func call(_ command: Command) -> RecordedCall

  /// Whether the value of a command's `ok` event is its response rather than a copy of its argument.
  static func answersInValue(_ command: Command) -> Bool

  /// The response that a line states.
  ///
  /// - Parameters:
  ///   - result: The stated response, or `nil` if the line states none.
  ///   - command: The command that was answered.
  /// - Returns: The response, or `nil` if any would do.
  /// - Throws: ``LinearizabilityFileError/Problem`` when the command cannot answer so.
  static func response(
    _ result: RecordedValue?, to command: Command
  ) throws(LinearizabilityFileError.Problem) -> Response?

  /// A response as a line states it.
  static func result(_ response: Response) -> RecordedValue
}

/// A command in the words of a recorded history.
public struct RecordedCall: Sendable, Hashable {
  /// The name of the function that was called.
  public var function: String
  /// The key, in models that have keys.
  public var key: RecordedValue?
  /// The argument; a function of several takes an array.
  public var value: RecordedValue

  /// A call of a function.
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
  /// A stated Boolean, or `nil` if nothing is stated.
  package static func flag(
    _ result: RecordedValue?, _ command: Command
  ) throws(LinearizabilityFileError.Problem) -> Bool? {
    switch result {
    case nil, .null: return nil
    case .bool(let flag): return flag
    default: throw .badResult(function: call(command).function, needs: "true or false")
    }
  }

  /// A stated value.
  package static func stated(
    _ result: RecordedValue?, _ command: Command
  ) throws(LinearizabilityFileError.Problem) -> RecordedValue {
    guard let result else {
      throw .badResult(function: call(command).function, needs: "the value that it gave back")
    }
    return result
  }
}

/// A model of which some responses were not recorded: those may be anything.
public struct PartlyStated<Base: SequentialModel>: SequentialModel {
  /// A command, and whether its response was recorded.
  public struct Command: Sendable, Hashable, CustomStringConvertible {
    /// What was called.
    public let base: Base.Command
    /// Whether the response must agree with the model.
    public let isStated: Bool

    public var description: String { base.description }
  }

  /// A response as the timeline shows it.
  public struct Response: Sendable, Equatable, CustomStringConvertible {
    /// The response, or `nil` if none was recorded.
    public let base: Base.Response?

    public var description: String { base.map { "\($0)" } ?? "?" }
  }

  /// The model of the commands.
  public let base: Base

  public var initialState: Base.State { base.initialState }

  public func apply(_ command: Command, to state: inout Base.State) -> Response {
    let response = base.apply(command.base, to: &state)
    return Response(base: command.isStated ? response : nil)
  }

  public func isReadOnly(_ command: Command) -> Bool { base.isReadOnly(command.base) }

  public func partition(of command: Command) -> AnyHashable? { base.partition(of: command.base) }
}
