internal import ExplorationEngine

/// Finds smaller steps that fail in the same way, by running them.
///
/// Steps that overlap, or that race with something inside the subject such as replication, don't always
/// fail. They are tried several times. Steps that fail each time are only replaced by steps that do too:
/// otherwise one lucky run would lead to steps that no later run shows.
struct FaultShrinker<Spec: Specification> where Spec.Subject: Sendable {
  typealias Program = FaultProgram<Spec>
  typealias Outcome = FaultRun<Spec>.Outcome

  let explorer: FaultExplorer<Spec>
  let seed: UInt64
  let workers: [RunWorker]

  /// The smallest failing steps so far.
  private struct Best {
    var program: Program
    var outcome: Outcome
    var verdict: FaultExplorer<Spec>.Verdict
    /// The steps that did not fail.
    var refused: Set<String> = []
    var calls = 0
    /// Whether the steps are taken to fail each time.
    var isRepeatable = true
    var isOver: () -> Bool
  }

  /// Shrinks a failure within the limits of the settings, and replays the smallest steps.
  func shrink(
    _ program: Program, _ outcome: Outcome, isGiven: Bool, isCancelled: ConcurrentFlag
  ) -> FaultFailure<Spec> {
    let deadline = ContinuousClock.now + explorer.settings.shrinkTime
    var best = Best(program: program, outcome: outcome, verdict: explorer.verdict(of: outcome)) {
      ContinuousClock.now >= deadline || isCancelled.isSet
    }
    // Without its subject, or with a fault that fails, no run says anything about the calls.
    let isAboutCalls: Bool
    switch outcome.problem {
    case .fault, .subject: isAboutCalls = false
    default: isAboutCalls = true
    }
    var replays = (runs: 0, failures: 0)
    if isAboutCalls, !isGiven {
      makeSequential(&best)
      // Only a failure that the history alone does not shrink is run again as it is, which may be dear.
      if !removeUnneededSteps(&best) {
        best.isRepeatable = failsAgain(best.program, &best) != nil
      }
      removeSteps(&best)
      makeSequential(&best)
      removeSteps(&best)
      _ = attempt(best.program.byOneClient, &best)
      simplifySharedArguments(&best)
      simplifyCommands(&best)
      removeSteps(&best)
      // A failure says little if nobody knows whether it happens again, so replays have time of their own.
      let end = ContinuousClock.now + max(explorer.settings.shrinkTime, .seconds(5))
      while replays.runs < explorer.settings.replays, ContinuousClock.now < end,
        !isCancelled.isSet
      {
        replays.runs += 1
        let outcome = explorer.run(best.program, seed: seed, on: workers)
        if explorer.verdict(of: outcome) == best.verdict { replays.failures += 1 }
      }
    }
    return explorer.failure(
      best.program, best.outcome, originalLength: program.steps.count, replays: replays, seed: seed)
  }

  /// A failure that needs no overlap is simpler, and fails each time.
  private func makeSequential(_ best: inout Best) {
    guard !best.program.isSequential else { return }
    var histories = [best.outcome.history]
    if let minimal = minimal(best) { histories.insert(minimal, at: 0) }
    for history in histories {
      for byEnd in [true, false] where !best.program.isSequential {
        _ = attempt(best.program.sequence(of: history, byEnd: byEnd), &best)
      }
    }
  }

  private func minimal(_ best: Best) -> FaultHistory<Spec.Command, Spec.Response>? {
    explorer.minimal(best.outcome)
  }

  /// Removes the steps that the history does not need to break the promise.
  ///
  /// A run may take seconds, and the history says without one which calls matter. Some of the others
  /// may matter too: the first call after a crash may find that its connection is broken.
  ///
  /// - Returns: Whether fewer steps fail.
  private func removeUnneededSteps(_ best: inout Best) -> Bool {
    guard let minimal = minimal(best) else { return false }
    let stamps = minimal.calls.operations.map(\.call) + minimal.faults.map(\.start)
    let needed = Set(stamps.compactMap { best.outcome.history.positions[$0] })
    let others = best.program.steps.indices.filter { !needed.contains($0) }
    guard let last = needed.max(), !others.isEmpty else { return false }
    if attempt(best.program.removing(others), &best, tries: 2) { return true }
    // All but one, and rather one without an answer; then those that came after.
    let answered = Set(
      best.outcome.history.calls.operations.filter { $0.end != nil }
        .compactMap { best.outcome.history.positions[$0.call] })
    let earlier = others.filter { $0 < last }
    for kept in earlier.filter({ !answered.contains($0) }) + earlier.filter(answered.contains) {
      if attempt(best.program.removing(others.filter { $0 != kept }), &best) { return true }
    }
    return attempt(best.program.removing(others.filter { $0 > last }), &best)
  }

  /// Removes calls and faults, many at a time and then one by one, from the end.
  private func removeSteps(_ best: inout Best) {
    let program = best.program
    let isOver = best.isOver
    _ = minimized(Array(program.steps.indices), until: isOver()) { kept in
      attempt(program.removing(program.steps.indices.filter { !kept.contains($0) }), &best)
    }
  }

  /// Gives commands that share an argument the simplest one together: a write and the read that
  /// misses it fail only if both name the same thing.
  private func simplifySharedArguments(_ best: inout Best) {
    let values = best.program.spans.joined().filter { $0.kind == .value && $0.rank > 0 }
    var known: Set<SharedArgument> = []
    for value in values {
      let shared = SharedArgument(group: value.group, rank: value.rank)
      guard known.insert(shared).inserted else { continue }
      var program = best.program
      for position in program.steps.indices {
        let span = program.spans[position].map { choice in
          var choice = choice
          if choice.group == shared.group, choice.rank == shared.rank { choice.rank = 0 }
          return choice
        }
        program = program.redrawing(position, from: span, explorer.specification) ?? program
      }
      _ = attempt(program, &best)
    }
  }

  private struct SharedArgument: Hashable {
    var group: Choice.Group
    var rank: UInt64
  }

  /// Gives each command its simplest arguments.
  private func simplifyCommands(_ best: inout Best) {
    for position in best.program.steps.indices {
      var choice = best.program.spans[position].count - 1
      while choice >= 0 {
        var span = best.program.spans[position]
        if choice < span.count, span[choice].rank > 0 {
          span[choice].rank = 0
          if let simpler = best.program.redrawing(position, from: span, explorer.specification) {
            _ = attempt(simpler, &best)
          }
        }
        choice -= 1
      }
    }
  }

  /// Runs steps, and keeps them if they fail in the same way.
  ///
  /// - Parameter tries: The most runs; by default 1 if steps can fail each time.
  ///   Steps that replace repeatable ones have to fail once more.
  private func attempt(_ program: Program, _ best: inout Best, tries: Int? = nil) -> Bool {
    let text = program.text
    guard text != best.program.text, !best.refused.contains(text) else { return false }
    let usual = program.isSequential && best.isRepeatable ? (best.program.isSequential ? 1 : 2) : 5
    for _ in 0..<max(tries ?? usual, usual) {
      guard var outcome = failsAgain(program, &best) else { continue }
      if best.isRepeatable, program.isSequential {
        guard let second = failsAgain(program, &best) else { break }
        outcome = second
      }
      best.program = program
      best.outcome = outcome
      return true
    }
    if !best.isOver() { best.refused.insert(text) }
    return false
  }

  /// Runs steps within the limits, and returns what happened if they fail in the same way as the best ones.
  private func failsAgain(_ program: Program, _ best: inout Best) -> FaultRun<Spec>.Outcome? {
    guard !best.isOver(), best.calls < explorer.settings.shrinkCalls else { return nil }
    let outcome = explorer.run(program, seed: seed, on: workers)
    best.calls += outcome.calls
    return explorer.verdict(of: outcome) == best.verdict ? outcome : nil
  }
}
