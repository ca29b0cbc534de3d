public import ContractTesting

extension Capability {
  /// The store reads the clock of its setup.
  public static let controllableClock = Capability(
    "controllable-clock", "the store reads the clock that it is given")

  /// The store applies the policy of its setup.
  public static let configurablePolicy = Capability(
    "configurable-policy", "the store applies the policy that it is given")

  /// A reopened store still has its cookies.
  public static let persistence = Capability(
    "persistence", "a reopened store still has its cookies")

  /// Two stores may have the same cookies open at the same time.
  public static let severalHandles = Capability(
    "several-handles", "two open stores share their cookies", implying: .persistence)

  /// An acknowledged write is in the files before the store is flushed or closed.
  public static let crashSurvival = Capability(
    "crash-survival", "an acknowledged write is in the files at once", implying: .persistence)
}
