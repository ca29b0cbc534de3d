public import ContractTesting

extension Capability {
  /// The store reads the clock of its setup.
  public static let controllableClock = Capability(
    "controllable-clock", "the store goes by the clock that it is given")

  /// The store goes by the policy of its setup.
  public static let configurablePolicy = Capability(
    "configurable-policy", "the store goes by the profile, limits, trust and list it is given")

  /// The store's cookies outlive it.
  public static let persistence = Capability(
    "persistence", "a store that is opened again has its cookies still")

  /// Two stores may have the same cookies open at once.
  public static let severalHandles = Capability(
    "several-handles", "two open stores share their cookies", implying: .persistence)

  /// What is acknowledged is in the files before the store is flushed or closed.
  public static let crashSurvival = Capability(
    "crash-survival", "a write that was acknowledged is in the files", implying: .persistence)
}
