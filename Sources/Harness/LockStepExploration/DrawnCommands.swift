package import ExplorationEngine

/// Commands drawn from a seed, for an exploration that runs them in another way than lock-step
/// does.
package struct DrawnCommands<Spec: Specification>: Sendable {
  /// How the commands fail: the part that must stay the same while they are shrunk.
  package struct Failure: Sendable, Hashable {
    /// The index of the command that fails; those after it are not needed.
    package var step: Int
    /// The kind of failure.
    package var category: String
    /// Whether the commands after it make a difference: without them, the same command may fail in
    /// another way or not at all.
    package var needsLaterCommands: Bool

    package init(step: Int, category: String, needsLaterCommands: Bool = false) {
      self.step = step
      self.category = category
      self.needsLaterCommands = needsLaterCommands
    }
  }

  private let candidate: ShrinkCandidate<Spec>

  /// The seed from which the commands are drawn, or `nil` if they are drawn again from choices.
  package let seed: UInt64?

  package var commands: [Spec.Command] { candidate.commands }

  /// The choices from which the commands are drawn.
  package var choices: ChoiceSequence { candidate.sequence }

  /// Draws the commands of a run.
  package init(_ specification: Spec, run: Int, of settings: ExplorationSettings) {
    let seed = settings.seed(ofRun: run)
    var choices = Choices(seed: seed, strategy: settings.strategy)
    candidate = ShrinkCandidate(specification, &choices, count: settings.steps)
    self.seed = seed
  }

  /// Draws the commands again.
  package init(_ specification: Spec, from choices: ChoiceSequence) {
    self.init(ShrinkCandidate(specification, spans: choices.spans))
  }

  private init(_ candidate: ShrinkCandidate<Spec>) {
    self.candidate = candidate
    seed = nil
  }

  /// Looks for simpler commands that fail in the same way.
  ///
  /// - Parameters:
  ///   - specification: The specification that drew the commands.
  ///   - failure: How they fail.
  ///   - settings: The most calls and time.
  ///   - attempt: Runs commands, and returns how they fail.
  /// - Returns: The simplest commands found, the number of attempts, and whether shrinking ended
  ///   before its limits.
  package func shrunk(
    _ specification: Spec, failing failure: Failure, settings: ExplorationSettings,
    attempt: @escaping (DrawnCommands) -> Failure?
  ) -> (commands: DrawnCommands, attempts: Int, isShrunkFully: Bool) {
    guard commands.indices.contains(failure.step) else { return (self, 0, true) }
    let first = ShrinkCandidate(
      specification, spans: Array(candidate.spans.prefix(failure.step + 1)))
    var shrinker = Shrinker(
      specification, first, Self.kind(failure, of: first, specification),
      budget: (settings.shrinkCalls, .now.advanced(by: settings.shrinkTime))
    ) { candidate in
      let count = candidate.commands.count
      guard let failure = attempt(DrawnCommands(candidate)) else { return (nil, count) }
      let kind = Self.kind(failure, of: candidate, specification)
      return (RunFailure(run: 0, step: failure.step, kind: kind), count)
    }
    shrinker.shrink()
    return (DrawnCommands(shrinker.best), shrinker.attempts, !shrinker.isOverBudget)
  }

  /// The failure as one that the shrinker knows; only its category counts.
  private static func kind(
    _ failure: Failure, of candidate: ShrinkCandidate<Spec>, _ specification: Spec
  ) -> LockStepFailureKind<Spec.Response> {
    // A failure of the teardown lets the shrinker conclude nothing from a sequence about its prefixes.
    if failure.needsLaterCommands { return .tearDownThrew(type: failure.category, message: "") }
    var state = specification.initialState
    let responses = candidate.commands.prefix(failure.step + 1).map {
      specification.apply($0, to: &state)
    }
    guard let expected = responses.last else {
      return .setUpThrew(type: failure.category, message: "")
    }
    return .threw(type: failure.category, message: "", expected: expected)
  }
}
