/// Makes a failing sequence of commands smaller, with as few live calls as it can.
///
/// What is cheap and takes much away comes first: what the model and the arguments say is idle,
/// then chunks of commands, then values, names and kinds. Nothing is tried twice, and until the
/// end nothing is tried that is part of a sequence known to pass.
struct Shrinker<Spec: Specification> {
  typealias Candidate = ShrinkCandidate<Spec>
  typealias Kind = LockStepFailureKind<Spec.Response>
  typealias Attempt = ([Spec.Command]) -> (failure: RunFailure<Spec.Response>?, calls: Int)

  private(set) var best: Candidate
  private(set) var kind: Kind
  private(set) var calls = 0
  private(set) var attempts = 0
  private(set) var isOverBudget = false

  let spec: Spec
  private let attempt: Attempt
  private let budget: (calls: Int, end: ContinuousClock.Instant)
  /// Commands known not to fail in the way sought.
  private var refuted: Set<[Spec.Command]> = []
  /// Those of them that were run, beginnings left out.
  private var passed: [[Spec.Command]] = []
  /// How many pairs were tried in vain.
  var pairFailures = 0

  init(
    _ spec: Spec, _ original: Candidate, _ kind: Kind,
    budget: (calls: Int, end: ContinuousClock.Instant), attempt: @escaping Attempt
  ) {
    self.spec = spec
    best = original
    self.kind = kind
    self.budget = budget
    self.attempt = attempt
    if kind.isOfCommand { learn(passed: best.commands.dropLast()) }
  }

  mutating func shrink() {
    keepSharedArguments()
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
      }
      let before = best.sequence
      simplifyLastCommand()
      shiftUp()
      simplifyEachValue()
      swapNames()
      lowerRules()
      reorder()
      if best.sequence != before { continue }
      // Only what was really tried counts for the last word on the length.
      deleteChunks(isTrusting: false)
      if best.sequence == before, !redraw() { return }
    } while !isOverBudget
  }

  /// Repeats what may take commands away until nothing does.
  private mutating func shorten() {
    var before: ChoiceSequence
    repeat {
      before = best.sequence
      deleteChunks(patience: 2)
      simplifyValues()
      deleteChunks()
      dropPairs()
      simplifyValues()
      renameArguments()
    } while !isOverBudget && best.sequence != before
  }

  // MARK: - Trying

  private mutating func learn(passed commands: ArraySlice<Spec.Command>) {
    refuted.insert(Array(commands))
    // The beginnings passed too, unless the failure sought lies in tearing down after them.
    guard kind.isOfCommand else { return }
    for count in 0..<commands.count { refuted.insert(Array(commands.prefix(count))) }
  }

  /// Runs a candidate unless its outcome is known, and keeps it if it fails alike and is simpler.
  ///
  /// - Parameters:
  ///   - isSameCommand: Whether the failing command must stay of its kind.
  ///   - isTrusting: Whether parts of what passed are taken to pass too.
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

  /// Whether a candidate fails alike, be it simpler or not; it is kept if it is.
  mutating func fails(_ spans: [[Choice]]) -> Bool {
    let candidate = Candidate(spec, spans: spans)
    return !refuted.contains(candidate.commands)
      && run(candidate, isSameCommand: true) != .other
  }

  private enum Outcome {
    case simpler
    case alike
    case other
  }

  private mutating func run(_ candidate: Candidate, isSameCommand: Bool) -> Outcome {
    guard !isOverBudget else { return .other }
    guard calls + candidate.commands.count <= budget.calls, ContinuousClock.now < budget.end else {
      isOverBudget = true
      return .other
    }
    attempts += 1
    let (failure, spent) = attempt(candidate.commands)
    calls += spent
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
    guard shortened.isSimpler(than: best) else { return .alike }
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

  /// The number of commands that may be deleted; the failing one stays.
  var deletable: Int { max(best.spans.count - (kind.isOfCommand ? 1 : 0), 0) }

  /// The state that the model is in after commands.
  func finalState(_ spans: ArraySlice<[Choice]>) -> Spec.State {
    var state = spec.initialState
    for command in Candidate(spec, spans: Array(spans)).commands {
      _ = spec.apply(command, to: &state)
    }
    return state
  }
}

extension Array where Element: Equatable {
  /// Whether the elements of `part` are here in the same order, others between them or not.
  fileprivate func containsInOrder(_ part: [Element]) -> Bool {
    guard part.count <= count else { return false }
    var next = 0
    for element in self where next < part.count {
      if element == part[next] { next += 1 }
    }
    return next == part.count
  }
}
