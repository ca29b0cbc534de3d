/// A model of a port together with a generator of commands: oracle, fake and linearizability spec.
///
/// One specification serves three kinds of exploration: lock-step (a random sequence of commands
/// on model and subject, responses compared), interleavings (several tasks under a deterministic
/// executor, every schedule up to a bound) and linearizability (several tasks truly in parallel,
/// the recorded history checked by search).
public protocol Specification: SequentialModel {
  /// The implementation under exploration. It may be a value, a class, an actor or an existential.
  associatedtype Subject

  /// Draws the next command.
  ///
  /// - Parameters:
  ///   - choices: The source of all randomness; drawing from anything else breaks replay.
  ///   - state: The model's state before the command.
  /// - Returns: A command that is legal in `state`.
  func command(from choices: inout Choices, in state: State) -> Command

  /// Runs a command on the subject.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - subject: The implementation under exploration.
  /// - Returns: The subject's response.
  /// - Throws: Any error that is not a response; exploration reports it as a failure.
  func perform(_ command: Command, on subject: Subject) async throws -> Response

  /// The kinds of command that exploration must reach, as ``kind(of:)`` names them.
  ///
  /// The default is empty: nothing is checked.
  var kinds: [String] { get }

  /// The kind of a command; by default its description up to the first `(` or space.
  func kind(of command: Command) -> String

  /// The specification as a Swift expression, a call of an initialiser, for the tests that
  /// exploration prints; up to its parenthesis it is the name that stored examples go by.
  ///
  /// By default the type's name and `()`.
  var source: String { get }

  /// A command as a Swift expression of type `Command`, for the tests that exploration prints.
  ///
  /// By default a dot and the command's description, which suits an enumeration that describes
  /// itself as it is written: `put(1, "a")`.
  func source(ofCommand command: Command) -> String

  /// A response as a Swift expression of type `Response`; by default `String(reflecting:)`.
  func source(ofResponse response: Response) -> String
}

extension Specification {
  /// No kind of command is required.
  public var kinds: [String] { [] }

  /// The description up to the first `(` or space.
  public func kind(of command: Command) -> String {
    String(command.description.prefix { $0 != "(" && $0 != " " })
  }

  /// The type's name and `()`.
  public var source: String { "\(Self.self)()" }

  /// A dot and the description.
  public func source(ofCommand command: Command) -> String { "." + command.description }

  /// The response's debug description.
  public func source(ofResponse response: Response) -> String { String(reflecting: response) }

  /// The type as it is written in Swift.
  var typeName: String { String(source.prefix { $0 != "(" }) }
}

/// A specification whose subject answers at once, without suspending.
///
/// Lock-step exploration of a synchronous subject is some hundred times faster.
public protocol SynchronousSpecification: Specification {
  /// Runs a command on the subject.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - subject: The implementation under exploration.
  /// - Returns: The subject's response.
  /// - Throws: Any error that is not a response; exploration reports it as a failure.
  func perform(_ command: Command, on subject: Subject) throws -> Response
}
