/// A model of a port, a generator of commands, and the way to run a command on an implementation.
///
/// One specification serves three kinds of exploration: lock-step (a random sequence of commands
/// runs on the model and the subject, and the responses are compared), interleavings (several tasks
/// run under a deterministic executor) and concurrency (several tasks run in parallel, and the
/// recorded history is checked for linearizability).
public protocol Specification: SequentialModel {
  /// The implementation under exploration: a value, a class, an actor or an existential.
  associatedtype Subject

  /// Draws the next command.
  ///
  /// - Parameters:
  ///   - choices: The only source of randomness; any other breaks replays.
  ///   - state: The model's state before the command.
  /// - Returns: A command that is legal in `state`.
  func command(from choices: inout Choices, in state: State) -> Command

  /// Runs a command on the subject.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - subject: The implementation under exploration.
  /// - Returns: The subject's response.
  /// - Throws: An error that is not a response; exploration reports it as a failure.
  func perform(_ command: Command, on subject: Subject) async throws -> Response

  /// The kinds of command that exploration must reach, as ``kind(of:)`` names them.
  ///
  /// The default is an empty array, which disables the check.
  var kinds: [String] { get }

  /// The kind of a command; by default its description up to the first `(` or space.
  func kind(of command: Command) -> String

  /// A Swift expression that creates the specification, for the tests that exploration prints.
  ///
  /// It must be a call of an initialiser. The part before the parenthesis also names the folder of
  /// the stored examples. The default is the type's name and `()`.
  var source: String { get }

  /// A command as a Swift expression of type `Command`, for the tests that exploration prints.
  ///
  /// The default is a dot and the command's description. It suits an enumeration whose description
  /// is its Swift source without the dot, such as `put(1, "a")`.
  func source(ofCommand command: Command) -> String

  /// A response as a Swift expression of type `Response`; by default `String(reflecting:)`.
  func source(ofResponse response: Response) -> String
}

extension Specification {
  /// Returns an empty array.
  public var kinds: [String] { [] }

  /// Returns the description up to the first `(` or space.
  public func kind(of command: Command) -> String {
    String(command.description.prefix { $0 != "(" && $0 != " " })
  }

  /// Returns the type's name and `()`.
  public var source: String { "\(Self.self)()" }

  /// Returns a dot and the description.
  public func source(ofCommand command: Command) -> String { "." + command.description }

  /// Returns the response's debug description.
  public func source(ofResponse response: Response) -> String { String(reflecting: response) }

  /// The specification's type, as ``source`` spells it.
  package var typeName: String { String(source.prefix { $0 != "(" }) }
}

/// A specification whose subject responds without suspending.
///
/// Lock-step exploration of a synchronous subject is 10 to 100 times faster.
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
