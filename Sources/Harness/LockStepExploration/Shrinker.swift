internal import ExplorationEngine

/// Shrinks a failing sequence of commands with few live calls.
///
/// Live calls are the cost, and the model is free. So the passes that may remove the most come
/// first: commands that are idle according to the model and the arguments, then chunks of commands,
/// then values, names and kinds. No sequence is tried twice. Except in the last pass, no
/// subsequence of a passing sequence is tried, on the assumption that it passes as well.
struct Shrinker<Spec: Specification> {
  typealias Candidate = ShrinkCandidate<Spec>
  typealias Kind = LockStepFailureKind<Spec.Response>
  typealias Attempt = (Candidate) -> (failure: RunFailure<Spec.Response>?, calls: Int)

  private(set) var best: Candidate
  private(set) var kind: Kind
  private(set) var calls = 0
  private(set) var attempts = 0
  /// Whether the budget ended before the passes did.
  var isOverBudget = false

  let spec: Spec
  /// A command of each kind that the generator draws, for sequences that need a kind that the best
  /// one does not have.
  let ingredients: [[Choice]]
  private let attempt: Attempt
  private let budget: (calls: Int, end: ContinuousClock.Instant)
  /// The sequences that are known not to fail in the same way.
  private var refuted: Set<[Spec.Command]> = []
  /// The sequences that ran and passed, without their prefixes.
  private var passed: [[Spec.Command]] = []
  /// The number of pairs that could not be removed.
  var pairFailures = 0
  /// How often a sequence failed although a longer one, of which it is a part, passed.
  private var contradictions = 0

  /// Whether commands may be removable together where none is removable alone. If so, shrinking
  /// spends more of its budget on that.
  var isErratic: Bool { contradictions > 2 }

  init(
    _ spec: Spec, _ original: Candidate, _ kind: Kind,
    budget: (calls: Int, end: ContinuousClock.Instant), attempt: @escaping Attempt
  ) {
    self.spec = spec
    best = original
    var choices = Choices(seed: 0, strategy: .uniform)
    let drawn = Candidate(spec, &choices, count: 50)
    var kinds: Set<String> = []
    ingredients = zip(drawn.commands, drawn.spans).filter {
      kinds.insert(spec.kind(of: $0.0)).inserted
    }.map(\.1)
    self.kind = kind
    self.budget = budget
    self.attempt = attempt
    if kind.isOfCommand { learn(passed: best.commands.dropLast()) }
  }

  mutating func shrink() {
    keepEnd()
    keepSharedArguments()
    shortenRuns()
    dropIdle()
    separateNames()
    simplifyOneGroup()
    dropUnchanging()
    dropKinds()
    dropBeginning()
    renameArguments()
    var escaped = -1
    repeat {
      shorten()
      if best.spans.count != escaped {
        escaped = best.spans.count
        if escape() { continue }
        // The other passes cost more, the longer the sequence is.
        if isHard, leavePlateau(share: 6) { continue }
      }
      let before = best.sequence
      simplifyLastCommand()
      dropElements()
      if clearEachAmount() { continue }
      dropInexactly()
      shiftUp()
      simplifyEachValue()
      lowerPairs()
      swapNames()
      lowerRules()
      reorder()
      if best.sequence != before { continue }
      // The assumption about subsequences does not always hold, so the last passes run them.
      deleteChunks(isTrusting: false)
      deleteRanges()
      if best.sequence == before, !dropCouples(), !leavePlateau(share: 1) { return }
    } while !isOverBudget
  }

  /// Repeats the passes that may remove commands until none does.
  private mutating func shorten() {
    // The length of which random parts were tried.
    var sampledLength = 0
    var before: ChoiceSequence
    repeat {
      before = best.sequence
      deleteChunks(patience: 2)
      simplifyValues()
      // Removing single commands from a long sequence costs most, so its random parts come first.
      if isHard, sampledLength != best.spans.count {
        sampledLength = best.spans.count
        if takeShortcut() || isErratic && simplifyKinds() || keepRandomParts() || dropRepeated() {
          continue
        }
      }
      deleteChunks()
      dropPairs()
      if dropContributions() { continue }
      simplifyValues()
      renameArguments()
    } while !isOverBudget && best.sequence != before
  }

  // MARK: - Trying

  private mutating func learn(passed commands: ArraySlice<Spec.Command>) {
    refuted.insert(Array(commands))
    // The prefixes passed too, unless the failure is in the teardown, which ran only after the last
    // command.
    // Of a long sequence, the prefixes take longer to remember than to run.
    guard kind.isOfCommand, commands.count <= 100 else { return }
    for count in 0..<commands.count { refuted.insert(Array(commands.prefix(count))) }
  }

  /// Runs a candidate if its outcome is unknown, and keeps it if it is simpler and fails in the
  /// same way.
  ///
  /// - Parameters:
  ///   - spans: The candidate's choices.
  ///   - isSameCommand: Whether the failing command must be of the same kind.
  ///   - isTrusting: Whether a subsequence of a passing sequence is assumed to pass.
  /// - Returns: Whether the candidate is kept.
  @discardableResult
  mutating func accepts(
    _ spans: [[Choice]], isSameCommand: Bool = true, isTrusting: Bool = false
  ) -> Bool {
    let candidate = Candidate(spec, spans: spans)
    guard candidate.isSimpler(than: best), !refuted.contains(candidate.commands),
      !isTrusting || !passed.contains(where: { $0.containsInOrder(candidate.commands) })
    else { return false }
    return run(candidate, isSameCommand: isSameCommand) == .simpler
  }

  /// Whether a candidate fails in the same way. It is kept if it is also simpler.
  mutating func fails(_ spans: [[Choice]]) -> Bool {
    let candidate = Candidate(spec, spans: spans)
    return !refuted.contains(candidate.commands)
      && run(candidate, isSameCommand: true) != .other
  }

  private enum Outcome {
    /// The candidate fails in the same way and is simpler.
    case simpler
    /// The candidate fails in the same way.
    case same
    /// The candidate passes or fails in another way.
    case other
  }

  private mutating func run(_ candidate: Candidate, isSameCommand: Bool) -> Outcome {
    guard !isOverBudget else { return .other }
    guard calls + candidate.commands.count <= budget.calls, ContinuousClock.now < budget.end else {
      isOverBudget = true
      return .other
    }
    attempts += 1
    let (failure, newCalls) = attempt(candidate)
    calls += newCalls
    guard let failure, failure.kind.category == kind.category,
      !isSameCommand || isSameKind(candidate, failure)
    else {
      refuted.insert(candidate.commands)
      if let failure, failure.kind.isOfCommand {
        learn(passed: candidate.commands.prefix(failure.step))
      } else if failure == nil {
        learn(passed: candidate.commands[...])
        passed.append(candidate.commands)
      }
      return .other
    }
    var shortened = candidate
    if failure.kind.isOfCommand {
      learn(passed: candidate.commands.prefix(failure.step))
      shortened = Candidate(spec, spans: Array(candidate.spans.prefix(failure.step + 1)))
    }
    guard shortened.isSimpler(than: best) else { return .same }
    if passed.contains(where: { $0.containsInOrder(shortened.commands) }) { contradictions += 1 }
    best = shortened
    kind = failure.kind
    return .simpler
  }

  private func isSameKind(_ candidate: Candidate, _ failure: RunFailure<Spec.Response>) -> Bool {
    guard failure.kind.isOfCommand, let last = best.commands.last,
      candidate.commands.indices.contains(failure.step)
    else { return true }
    return spec.kind(of: candidate.commands[failure.step]) == spec.kind(of: last)
  }

  /// The number of commands that may be removed: those before the failing one.
  var deletable: Int { max(best.spans.count - (kind.isOfCommand ? 1 : 0), 0) }

  /// The number of calls that are left.
  var callsLeft: Int { max(budget.calls - calls, 0) }

  /// The model's state after commands.
  func finalState(_ spans: ArraySlice<[Choice]>) -> Spec.State {
    var state = spec.initialState
    for command in Candidate(spec, spans: Array(spans)).commands {
      _ = spec.apply(command, to: &state)
    }
    return state
  }
}

extension Array where Element: Equatable {
  /// Whether `part` is a subsequence.
  fileprivate func containsInOrder(_ part: [Element]) -> Bool {
    guard part.count <= count else { return false }
    var next = 0
    for element in self where next < part.count {
      if element == part[next] { next += 1 }
    }
    return next == part.count
  }
}
