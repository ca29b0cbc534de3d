/// The steps of a run with faults.
struct FaultProgram<Spec: Specification>: Sendable {
  var steps: [FaultStep<Spec.Command, Spec.Subject>]
  /// Whether one step ends before the next begins.
  var isSequential: Bool
  /// The choices of the command of each step, if they are known.
  private(set) var spans: [[Choice]]

  init(
    steps: [FaultStep<Spec.Command, Spec.Subject>], isSequential: Bool, spans: [[Choice]] = []
  ) {
    self.steps = steps.map { step in
      // Clients are counted from 0.
      if case .call(let command, let client) = step, client < 0 { .call(command) } else { step }
    }
    self.isSequential = isSequential
    self.spans = steps.indices.map { $0 < spans.count ? spans[$0] : [] }
  }

  /// The clients of the calls.
  var clients: Set<Int> {
    Set(
      steps.compactMap { step in
        if case .call(_, let client) = step { client } else { nil }
      })
  }

  mutating func insert(_ step: FaultStep<Spec.Command, Spec.Subject>, at position: Int) {
    steps.insert(step, at: position)
    spans.insert([], at: position)
  }

  /// The program without some steps. What heals a fault goes with the fault.
  func removing(_ range: Range<Int>) -> Self {
    var copy = self
    copy.steps.removeSubrange(range)
    copy.spans.removeSubrange(range)
    var struck: Set<String> = []
    for position in copy.steps.indices.reversed() {
      guard case .healing(let fault) = copy.steps[position] else { continue }
      struck = Set(
        copy.steps[..<position].compactMap { step in
          if case .fault(let fault) = step { fault.name } else { nil }
        })
      if !struck.contains(fault.name) {
        copy.steps.remove(at: position)
        copy.spans.remove(at: position)
      }
    }
    return copy
  }

  /// The program with the choices of one command replaced, or `nil` if they draw the same command.
  func redrawing(_ position: Int, from span: [Choice], _ spec: Spec) -> Self? {
    guard case .call(let old, let client) = steps[position] else { return nil }
    var state = spec.initialState
    for case .call(let command, _) in steps[..<position] { _ = spec.apply(command, to: &state) }
    var sequence = ChoiceSequence()
    sequence.spans = [span]
    var choices = Choices(replaying: sequence)
    choices.beginCommand()
    let command = spec.command(from: &choices, in: state)
    guard command != old else { return nil }
    var copy = self
    copy.steps[position] = .call(command, by: client)
    copy.spans[position] = choices.sequence.spans.first ?? []
    return copy
  }

  /// The calls and faults of a history one after the other, by the stamps at which they began or ended.
  func sequence(
    of history: FaultHistory<Spec.Command, Spec.Response>, byEnd: Bool
  ) -> Self {
    var known: [Spec.Command: [Choice]] = [:]
    var faults: [String: Fault<Spec.Subject>] = [:]
    for (step, span) in zip(steps, spans) {
      switch step {
      case .call(let command, _): known[command] = span
      case .fault(let fault), .healing(let fault): faults[fault.name] = fault
      }
    }
    var ordered: [(stamp: Int, step: FaultStep<Spec.Command, Spec.Subject>, span: [Choice])] = []
    for call in history.calls.operations {
      ordered.append(
        (
          (byEnd ? call.end : nil) ?? call.call, .call(call.command, by: call.client),
          known[call.command] ?? []
        ))
    }
    for mark in history.faults {
      guard let fault = faults[mark.name] else { continue }
      ordered.append((mark.start, mark.isHealing ? .healing(fault) : .fault(fault), []))
    }
    ordered.sort { $0.stamp < $1.stamp }
    return Self(steps: ordered.map(\.step), isSequential: true, spans: ordered.map(\.span))
  }

  /// The program with every call by one client.
  var byOneClient: Self {
    var copy = self
    for case (let position, .call(let command, _)) in steps.enumerated() {
      copy.steps[position] = .call(command)
    }
    return copy
  }
}

/// Finds smaller steps that fail in the same way, by running them.
///
/// A run whose steps overlap does not always fail, so it is tried several times.
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
    var calls = 0
    var isOver: () -> Bool
  }

  func shrink(
    _ program: Program, _ outcome: Outcome, isGiven: Bool, isCancelled: ConcurrentFlag
  ) -> FaultFailure<Spec> {
    let deadline = ContinuousClock.now + explorer.settings.shrinkTime
    var best = Best(program: program, outcome: outcome, verdict: explorer.verdict(of: outcome)) {
      ContinuousClock.now >= deadline || isCancelled.value.load(ordering: .relaxed)
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
      removeSteps(&best)
      makeSequential(&best)
      removeSteps(&best)
      _ = attempt(best.program.byOneClient, &best)
      simplifySharedArguments(&best)
      simplifyCommands(&best)
      removeSteps(&best)
      while replays.runs < explorer.settings.replays, !best.isOver() {
        replays.runs += 1
        let outcome = explorer.run(best.program, seed: seed, on: workers)
        if explorer.verdict(of: outcome) == best.verdict { replays.failures += 1 }
      }
    }
    return FaultFailure(
      steps: best.program.steps, isSequential: best.program.isSequential,
      promise: explorer.promise, problem: best.outcome.problem,
      originalLength: program.steps.count, replays: replays, seed: seed,
      history: best.outcome.history,
      minimal: minimal(best), specification: explorer.specification,
      sourceArguments: explorer.sourceArguments)
  }

  /// A failure that needs no overlap is simpler, and fails each time.
  private func makeSequential(_ best: inout Best) {
    var histories = [best.outcome.history]
    if let minimal = minimal(best) { histories.insert(minimal, at: 0) }
    for history in histories {
      for byEnd in [true, false] where !best.program.isSequential {
        _ = attempt(best.program.sequence(of: history, byEnd: byEnd), &best)
      }
    }
  }

  private func minimal(_ best: Best) -> FaultHistory<Spec.Command, Spec.Response>? {
    guard best.outcome.problem == nil else { return nil }
    return explorer.promise.minimal(
      best.outcome.history, explorer.specification, within: explorer.settings.shrinkTime)
  }

  /// Removes calls and faults, many at a time and then one by one, from the end.
  private func removeSteps(_ best: inout Best) {
    var size = max(best.program.steps.count / 2, 1)
    while true {
      var isSmaller = false
      var end = best.program.steps.count
      while end > 0 {
        let start = max(end - size, 0)
        let fewer = best.program.removing(start..<end)
        if attempt(fewer, &best) { isSmaller = true }
        end = min(start, best.program.steps.count)
      }
      if size == 1, !isSmaller { return }
      size = max(size / 2, 1)
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
  private func attempt(_ program: Program, _ best: inout Best) -> Bool {
    let tries = program.isSequential ? (best.program.isSequential ? 1 : 2) : 5
    for _ in 0..<tries {
      guard !best.isOver(), best.calls < explorer.settings.shrinkCalls else { return false }
      let outcome = explorer.run(program, seed: seed, on: workers)
      best.calls += outcome.calls
      if explorer.verdict(of: outcome) == best.verdict {
        best.program = program
        best.outcome = outcome
        return true
      }
    }
    return false
  }
}
