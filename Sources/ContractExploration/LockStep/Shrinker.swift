/// Makes a failing sequence of commands smaller, with as few live calls as it can.
///
/// The passes run in order of what they save: shared arguments, what the model says is idle,
/// chunks from the back, values, names, the last command, single choices. Nothing is tried twice.
struct Shrinker<Spec: Specification> {
  typealias Candidate = ShrinkCandidate<Spec>
  typealias Kind = LockStepFailureKind<Spec.Response>
  typealias Attempt = ([Spec.Command]) -> (failure: RunFailure<Spec.Response>?, calls: Int)

  private(set) var best: Candidate
  private(set) var kind: Kind
  private(set) var calls = 0
  private(set) var attempts = 0
  private(set) var isOverBudget = false

  private let spec: Spec
  private let attempt: Attempt
  private let budget: (calls: Int, end: ContinuousClock.Instant)
  /// Commands known not to fail in the way sought.
  private var refuted: Set<[Spec.Command]> = []

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
    simplifyOneDomain()
    dropIdle()
    var before: ChoiceSequence
    repeat {
      before = best.sequence
      simplifyLastCommand()
      deleteChunks()
      simplifyValues()
      renameArguments()
      simplifyEachValue()
      lowerRules()
      reorder()
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
  /// - Parameter isSameCommand: Whether the failing command must stay of its kind.
  @discardableResult
  private mutating func accepts(_ spans: [[Choice]], isSameCommand: Bool = true) -> Bool {
    let candidate = Candidate(spec, spans: spans)
    guard !isOverBudget, candidate.isSimpler(than: best),
      !refuted.contains(candidate.commands)
    else { return false }
    guard calls + candidate.commands.count <= budget.calls, ContinuousClock.now < budget.end else {
      isOverBudget = true
      return false
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
      }
      return false
    }
    if failure.kind.isOfCommand {
      learn(passed: candidate.commands.prefix(failure.step))
      best = Candidate(spec, spans: Array(candidate.spans.prefix(failure.step + 1)))
    } else {
      best = candidate
    }
    kind = failure.kind
    return true
  }

  private func isSameKind(_ candidate: Candidate, _ failure: RunFailure<Spec.Response>) -> Bool {
    guard failure.kind.isOfCommand, let last = best.commands.last,
      candidate.commands.indices.contains(failure.step)
    else { return true }
    return spec.kind(of: candidate.commands[failure.step]) == spec.kind(of: last)
  }

  /// The number of commands that may be deleted; the failing one stays.
  private var deletable: Int { max(best.spans.count - (kind.isOfCommand ? 1 : 0), 0) }

  // MARK: - Deleting commands

  /// Keeps the commands that share an argument with the last one, first without and then with
  /// those that have no named arguments.
  private mutating func keepSharedArguments() {
    guard kind.isOfCommand, let last = best.spans.last else { return }
    for choice in last where choice.domain != nil {
      for keepsUntagged in [false, true] {
        let kept = best.spans.dropLast().filter { span in
          let tagged = span.filter { $0.domain != nil }
          if tagged.isEmpty { return keepsUntagged }
          return tagged.contains { $0.domain == choice.domain && $0.rank == choice.rank }
        }
        if accepts(kept + [last]) { return }
      }
    }
  }

  /// Deletes at once the commands that the model can do without.
  ///
  /// Those without which it ends in the same state, taken from the back or from the front; or, if
  /// the failure needs some of them, those that changed nothing when they ran.
  private mutating func dropIdle() {
    let places = best.spans.indices.dropLast()
    if accepts(withoutIdle(Array(places.reversed()))) || accepts(withoutIdle(Array(places))) {
      return
    }
    var state = spec.initialState
    accepts(
      best.spans.indices.filter { index in
        let before = state
        _ = spec.apply(best.commands[index], to: &state)
        return state != before || index == best.spans.count - 1
      }.map { best.spans[$0] })
  }

  /// The commands left when those are deleted, in the given order, that the final state allows.
  private func withoutIdle(_ order: [Int]) -> [[Choice]] {
    let goal = finalState(best.spans.dropLast())
    var kept = Array(best.spans.indices)
    for index in order {
      let fewer = kept.filter { $0 != index }
      if finalState(fewer.dropLast().map { best.spans[$0] }[...]) == goal { kept = fewer }
    }
    return kept.map { best.spans[$0] }
  }

  private func finalState(_ spans: ArraySlice<[Choice]>) -> Spec.State {
    var state = spec.initialState
    for command in Candidate(spec, spans: Array(spans)).commands {
      _ = spec.apply(command, to: &state)
    }
    return state
  }

  /// Deletes chunks from the back, larger ones while that works, smaller ones when it does not.
  private mutating func deleteChunks() {
    var end = deletable
    var size = 1
    while end > 0, !isOverBudget {
      let start = max(end - size, 0)
      var spans = best.spans
      spans.removeSubrange(start..<end)
      if accepts(spans) {
        end = min(start, deletable)
        size *= 2
      } else if size > 1 {
        size /= 2
      } else {
        end -= 1
      }
    }
  }

  // MARK: - Simplifying values

  /// Makes all values the simplest at once, then all values of one domain.
  private mutating func simplifyValues() {
    if accepts(mapped { _ in 0 }) { return }
    accepts(mapped { $0.domain == nil ? 0 : $0.rank })
    for domain in domains { accepts(mapped { $0.domain == domain ? 0 : $0.rank }) }
  }

  /// Makes the values of one domain equal, so that repeated commands have no effect and are idle.
  ///
  /// The domain drawn last comes first: keys are drawn before what is stored under them.
  private mutating func simplifyOneDomain() {
    for domain in domains.reversed()
    where accepts(mapped { $0.domain == domain ? 0 : $0.rank }) { return }
  }

  /// Numbers the values of each domain by their first use, all domains at once.
  private mutating func renameArguments() {
    var names: [Choices.Domain: [UInt64: UInt64]] = [:]
    accepts(
      mapped { choice in
        guard let domain = choice.domain else { return choice.rank }
        let next = UInt64(names[domain]?.count ?? 0)
        if let name = names[domain]?[choice.rank] { return name }
        names[domain, default: [:]][choice.rank] = next
        return next
      })
  }

  /// Lowers one value at a time: all uses of a named argument together, then each use.
  private mutating func simplifyEachValue() {
    for domain in domains {
      let ranks = Set(best.spans.joined().filter { $0.domain == domain }.map(\.rank)).sorted()
      // Names that were numbered by first use cannot become lower without becoming equal.
      let isNumbered = ranks == ranks.indices.map { UInt64($0) }
      for rank in ranks where rank > 0 {
        lower(places { $0.domain == domain && $0.rank == rank }, bisecting: !isNumbered)
      }
    }
    for place in places({ $0.kind == .value }) {
      guard let choice = choice(at: place), choice.rank > 0 else { continue }
      let uses = places { $0.domain == choice.domain && $0.rank == choice.rank }.count
      if choice.domain == nil || uses > 1 { lower([place], bisecting: choice.domain == nil) }
    }
  }

  /// Lowers choices of equal rank to 0 or, failing that, as far as bisection gets.
  private mutating func lower(_ places: [Place], bisecting: Bool) {
    guard let first = places.first, var high = choice(at: first)?.rank, high > 0,
      !accepts(replacing(places, by: 0)), bisecting
    else { return }
    var low: UInt64 = 0
    while high - low > 1, !isOverBudget {
      let middle = low + (high - low) / 2
      if accepts(replacing(places, by: middle)) {
        high = middle
      } else {
        low = middle
      }
    }
  }

  // MARK: - Simplifying commands

  /// Replaces the last command by a simpler kind that shows the same failure.
  private mutating func simplifyLastCommand() {
    guard kind.isOfCommand, let last = best.spans.indices.last else { return }
    lowerRules(of: last, isSameCommand: false)
  }

  /// Replaces the other commands by simpler kinds.
  private mutating func lowerRules() {
    var command = 0
    while command < deletable {
      lowerRules(of: command, isSameCommand: true)
      command += 1
    }
  }

  private mutating func lowerRules(of command: Int, isSameCommand: Bool) {
    for place in places({ $0.kind == .rule }) where place.command == command {
      var new: UInt64 = 0
      while let rank = choice(at: place)?.rank, new < rank {
        if accepts(replacing([place], by: new), isSameCommand: isSameCommand) { break }
        new += 1
      }
    }
  }

  /// Sorts neighbouring commands where their order does not matter to the failure.
  private mutating func reorder() {
    for end in best.spans.indices {
      var index = end
      while index > 0, index < deletable {
        var spans = best.spans
        spans.swapAt(index - 1, index)
        guard accepts(spans) else { break }
        index -= 1
      }
    }
  }

  // MARK: - Choices

  /// Where a choice stands.
  private struct Place {
    let command: Int
    let index: Int
  }

  private func places(_ isMeant: (Choice) -> Bool) -> [Place] {
    best.spans.enumerated().flatMap { command, span in
      span.indices.filter { isMeant(span[$0]) }.map { Place(command: command, index: $0) }
    }
  }

  private func choice(at place: Place) -> Choice? {
    guard place.command < best.spans.count, place.index < best.spans[place.command].count else {
      return nil
    }
    return best.spans[place.command][place.index]
  }

  private func replacing(_ places: [Place], by rank: UInt64) -> [[Choice]] {
    var spans = best.spans
    for place in places where choice(at: place) != nil {
      spans[place.command][place.index].rank = rank
    }
    return spans
  }

  private var domains: [Choices.Domain] {
    var domains: [Choices.Domain] = []
    for choice in best.spans.joined() {
      if let domain = choice.domain, !domains.contains(domain) { domains.append(domain) }
    }
    return domains
  }

  /// The spans with every value replaced, and the rules left alone.
  private func mapped(_ change: (Choice) -> UInt64) -> [[Choice]] {
    best.spans.map { span in
      span.map { choice in
        var choice = choice
        if choice.kind == .value { choice.rank = change(choice) }
        return choice
      }
    }
  }
}
