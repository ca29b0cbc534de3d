/// What a correct subject does when it is used by one caller at a time.
///
/// A model is all that the linearizability checker needs; a ``Specification`` adds the commands to
/// try and the subject to try them on.
public protocol SequentialModel: Sendable {
  /// A value that is everything the port remembers.
  associatedtype State: Hashable & Sendable

  /// One call on the port, with its arguments.
  associatedtype Command: Sendable & Hashable & CustomStringConvertible

  /// What a call gives back; an error that the specification expects is a response too.
  associatedtype Response: Sendable & Equatable

  /// The state of a subject nobody has used yet.
  var initialState: State { get }

  /// Runs a command on the model.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - state: The model's state, changed in place.
  /// - Returns: The only response that a correct subject may give.
  func apply(_ command: Command, to state: inout State) -> Response

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

extension SequentialModel {
  /// No command is known to be read-only.
  public func isReadOnly(_ command: Command) -> Bool { false }

  /// The state has no independent parts.
  public func partition(of command: Command) -> AnyHashable? { nil }
}
