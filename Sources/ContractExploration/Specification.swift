/// A model of a port together with a generator of commands: oracle, fake and linearizability spec at once.
///
/// One specification serves three kinds of exploration: lock-step (a random sequence of commands
/// on model and subject, responses compared), interleavings (several tasks under a deterministic
/// executor, every schedule up to a bound) and linearizability (several tasks truly in parallel,
/// the recorded history checked by search).
public protocol Specification: Sendable {
  /// The implementation under exploration. It may be a value, a class, an actor or an existential.
  associatedtype Subject: Sendable

  /// The model: a value that is everything the port remembers.
  associatedtype State: Hashable & Sendable

  /// One call on the port, with its arguments.
  associatedtype Command: Sendable & Hashable & CustomStringConvertible

  /// What a call gives back; an error that the specification expects is a response too.
  associatedtype Response: Sendable & Equatable

  /// The state of a subject nobody has used yet.
  var initialState: State { get }

  /// Draws the next command.
  ///
  /// - Parameters:
  ///   - choices: The source of all randomness; drawing from anything else breaks replay.
  ///   - state: The model's state before the command.
  /// - Returns: A command that is legal in `state`.
  func command(from choices: inout Choices, in state: State) -> Command

  /// Runs a command on the model.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - state: The model's state, changed in place.
  /// - Returns: The only response that a correct subject may give.
  func apply(_ command: Command, to state: inout State) -> Response

  /// Runs a command on the subject.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - subject: The implementation under exploration.
  /// - Returns: The subject's response.
  /// - Throws: Any error that is not a response; exploration reports it as a failure.
  func perform(_ command: Command, on subject: Subject) async throws -> Response

  /// Whether a command can never change any state, whatever its response.
  ///
  /// 'Does not change this state' is not enough: the linearizability checker relies on 'never'.
  /// The default is `false`, which is always sound.
  func isReadOnly(_ command: Command) -> Bool

  /// The independent part of the state that a command touches, or `nil` when it may touch all of it.
  ///
  /// Histories are checked partition by partition when every command names one.
  func partition(of command: Command) -> AnyHashable?
}

extension Specification {
  /// No command is known to be read-only.
  public func isReadOnly(_ command: Command) -> Bool { false }

  /// The state has no independent parts.
  public func partition(of command: Command) -> AnyHashable? { nil }
}
