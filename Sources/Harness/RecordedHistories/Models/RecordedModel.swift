/// A model whose calls and responses are those of a recorded history.
public protocol RecordedModel: SequentialModel
where Command == RecordedCall, Response == RecordedResponse {
  /// The functions by name. No other function is applied.
  static var functions: [String: RecordedFunction] { get }

  /// Whether each call has a key.
  static var hasKeys: Bool { get }

  /// Whether the process that calls is the argument if there is none.
  static var takesProcess: Bool { get }
}

extension RecordedModel {
  /// `false`.
  public static var hasKeys: Bool { false }

  /// `false`.
  public static var takesProcess: Bool { false }

  public func isReadOnly(_ command: RecordedCall) -> Bool {
    Self.functions[command.function]?.isReadOnly ?? true
  }

  public func isReadOnly(_ command: RecordedCall, returning response: RecordedResponse) -> Bool {
    guard let function = Self.functions[command.function] else { return true }
    switch function.result {
    case .flag, .success: return function.isReadOnly || response == .value(false)
    case .none, .value, .integer, .values: return function.isReadOnly
    }
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
