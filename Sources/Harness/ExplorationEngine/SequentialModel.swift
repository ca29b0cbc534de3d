/// A model of a subject that is used by one caller at a time.
///
/// The linearizability checker needs only a model. A ``Specification`` adds a generator of commands
/// and the subject that they run on.
public protocol SequentialModel: Sendable {
  /// The model's complete state.
  associatedtype State: Hashable & Sendable

  /// A call with its arguments.
  associatedtype Command: Sendable & Hashable & CustomStringConvertible

  /// The result of a call. An error that the specification expects is a response as well.
  associatedtype Response: Sendable & Equatable

  /// The state of a subject that has not been used.
  var initialState: State { get }

  /// Runs a command on the model.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - state: The model's state, which the command may change.
  /// - Returns: The only correct response.
  func apply(_ command: Command, to state: inout State) -> Response

  /// Whether a command never changes any state, whatever its response.
  ///
  /// A command that changes only some states is not read-only, because the linearizability checker
  /// would then reject correct histories. The default is `false`, which is always sound.
  func isReadOnly(_ command: Command) -> Bool

  /// Whether a command that gives a response never changes any state, such as a compare-and-set that
  /// fails.
  ///
  /// It must hold for every state in which the model gives this response; a response that only some
  /// states leave unchanged is not enough. The default is ``isReadOnly(_:)``, which is always sound.
  func isReadOnly(_ command: Command, returning response: Response) -> Bool

  /// The independent part of the state that a command accesses, or `nil` if it may access the whole
  /// state.
  ///
  /// If every command of a history has a partition, the partitions are checked separately.
  func partition(of command: Command) -> AnyHashable?
}

extension SequentialModel {
  /// Returns `false`.
  public func isReadOnly(_ command: Command) -> Bool { false }

  /// Returns whether the command is read-only whatever its response.
  @inlinable
  public func isReadOnly(_ command: Command, returning response: Response) -> Bool {
    isReadOnly(command)
  }

  /// Returns `nil`.
  public func partition(of command: Command) -> AnyHashable? { nil }
}
