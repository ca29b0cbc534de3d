public import ContractExploration

/// A specification of something that keeps its state in files, and so survives a crash.
///
/// It says how to read what survived. What must survive is the implementation's promise:
/// ``CrashDurability``.
///
///     extension NotesSpecification: PersistentSpecification {
///       var probes: [Command] { [.all] }
///     }
public protocol PersistentSpecification: Specification {
  /// The commands that together read everything that must survive, in order.
  ///
  /// They run on a subject that was reopened after a crash. Their responses must be those of the
  /// model in a state that the promise allows.
  var probes: [Command] { get }

  /// Whether a command that has returned makes everything before it durable, such as a flush.
  ///
  /// The default is `false`.
  func isFlush(_ command: Command) -> Bool

  /// Whether a command changes only what surrounds the subject, such as its clock.
  ///
  /// No crash undoes it. Such commands are performed again on each reopened subject, before the
  /// probes. The default is `false`.
  func isOutside(_ command: Command) -> Bool
}

extension PersistentSpecification {
  /// Returns `false`.
  public func isFlush(_ command: Command) -> Bool { false }

  /// Returns `false`.
  public func isOutside(_ command: Command) -> Bool { false }
}

/// What an implementation promises about the commands that have returned before a crash.
///
/// Whatever it promises, a command is never half done, and a reopened subject has the state after
/// some prefix of the commands. The command in progress may be part of it or not.
public enum CrashDurability: String, Sendable, Hashable, Codable, CaseIterable {
  /// They survive the end of the process and a power loss.
  case powerLoss
  /// They survive the end of the process. A power loss may undo the last of them.
  case processCrash
  /// Either crash may undo the last of them, but none before a flush
  /// (``PersistentSpecification/isFlush(_:)``) that has returned.
  case flush
}
