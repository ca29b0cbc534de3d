internal import ExplorationEngine
import Foundation

// What earlier runs left: commands during which a process ended, and stored examples.

extension LockStepEngine {
  /// Saves a failure, unless no command is part of it.
  func saveFailure(_ report: inout Report) {
    guard let failure = report.failure, !failure.commands.isEmpty, let store = lockStep.examples
    else { return }
    do {
      report.savedExample = try store.save(
        StoredExample(failure, coding: lockStep.coding), of: lockStep.name)
    } catch {
      report.storeProblems.append("\(error)")
    }
  }

  // MARK: - Commands that ended a process

  /// Finds out whether commands that were running when an earlier process ended were the cause.
  ///
  /// Another test or a signal may have ended that process. So another process runs the commands
  /// again; if that process ends as well, they are shrunk. Where no other process can be started,
  /// they are announced and run in this one. If it ends as well, the next one reports them as a
  /// failure and runs nothing.
  func examineCrashes(_ report: inout Report) {
    guard let key = lockStep.crashKey else { return }
    for leftover in CrashRecord.leftovers(key: key) {
      if leftover.isInSpecification {
        examine(leftover, key, &report)
        continue
      }
      guard let (candidate, seed) = candidate(of: leftover) else { continue }
      if processes != nil {
        let (found, calls) = attempt(
          candidate.commands, choices: candidate.sequence, isElsewhere: true)
        report.calls += calls
        guard let found, found.kind.hasEndedProcess else { continue }
        let failing = Candidate(spec, spans: Array(candidate.spans.prefix(found.step + 1)))
        report.failure = investigated(
          failing.commands == found.commands(of: candidate.commands) ? failing : candidate,
          found.kind, seed: seed, isElsewhere: true, &report)
        return saveFailure(&report)
      }
      var plan = leftover.plan
      let failure = ended(with: candidate.commands, seed: seed, candidate.sequence)
      if plan.isSuspect {
        report.failure = failure
        return saveFailure(&report)
      }
      announce("Running the commands during which an earlier process ended", failure)
      plan.isSuspect = true
      report.calls += attempt(failure.commands, as: plan, run: leftover.run).calls
    }
  }

  /// Finds out whether the model or the generator ended an earlier process.
  ///
  /// Another process runs them again. Where none can be started, they are announced and run in this one, and the next
  /// one reports them if it ends as well.
  ///
  /// Nothing is shrunk: every candidate would be drawn by the generator and run on the model in this process.
  private func examine(
    _ leftover: CrashRecord.Leftover, _ key: [String], _ report: inout Report
  ) {
    var leftover = leftover
    let issue: HealthIssue
    switch leftover.plan.origin {
    case .seeds(let runs):
      var reason = ""
      if processes == nil {
        guard leftover.plan.isSuspect else {
          return runSpecificationAgain(leftover, runs, &report)
        }
        // The next process runs them again: their code may have been mended.
        leftover.plan.isSuspect = false
      } else {
        crashRecord?.begin(leftover.plan)
        guard let found = specificationEnds(.seeds(runs.only(leftover.run))) else { return }
        reason = found.reason
      }
      report.seed = runs.seed(ofRun: 0)
      issue = ended(reason, run: leftover.run, of: runs, count: leftover.commands)
    case .commands(let encoded, _):
      crashRecord?.begin(leftover.plan)
      guard let commands = lockStep.coding?.decode(encoded), processes != nil,
        let found = specificationEnds(.commands(commands))
      else { return }
      issue = .endsProcess(
        reason: found.reason, commands: commands.prefix(found.step).map(\.description),
        seed: nil)
    case .program: return
    }
    report.health.append(issue)
    CrashRecord.leave(leftover, key: key)
  }

  /// Draws the commands of a run again in this process, and applies the model to them.
  private func runSpecificationAgain(
    _ leftover: CrashRecord.Leftover, _ runs: SeededRuns, _ report: inout Report
  ) {
    guard let crashRecord else { return }
    announce(
      "The model or the generator runs again from seed \(runs.seed(ofRun: leftover.run)), as when an earlier process "
        + "ended; if this process ends as well, it is the cause")
    var plan = leftover.plan
    plan.isSuspect = true
    crashRecord.begin(plan)
    let check = HealthCheck(spec, settings, runs)
    if let issue = check.issue(inRun: leftover.run, crashRecord.position) {
      report.health.append(issue)
    }
  }

  /// The commands that were running, with the choices from which they are drawn if those are known.
  private func candidate(of leftover: CrashRecord.Leftover) -> (Candidate, seed: UInt64?)? {
    switch leftover.plan.origin {
    case .seeds(let runs):
      return (
        drawn(run: leftover.run, of: runs, count: leftover.commands),
        runs.seed(ofRun: leftover.run)
      )
    case .commands(let encoded, let choices):
      guard let commands = lockStep.coding?.decode(encoded) else { return nil }
      return (Candidate(spec, Array(commands.prefix(leftover.commands)), drawnFrom: choices), nil)
    case .program: return nil
    }
  }

  private func ended(
    with commands: [Spec.Command], seed: UInt64?, _ choices: ChoiceSequence
  ) -> LockStepFailure<Spec> {
    LockStepFailure(
      specification: spec, commands: commands,
      kind: commands.isEmpty ? .setUpEndedProcess("") : .endedProcess(""), seed: seed,
      choices: choices, source: lockStep.source)
  }

  /// Prints commands that may end this process to standard error, before they run.
  private func announce(_ action: String, _ failure: LockStepFailure<Spec>) {
    announce("\(action); if this process ends as well, they are the cause:\n\(failure.swiftTest)")
  }

  private func announce(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  // MARK: - Examples

  func replayExamples(_ report: inout Report) {
    guard let store = lockStep.examples else { return }
    let (examples, problems) = store.examples(of: lockStep.name)
    report.storeProblems += problems.map(\.description)
    for (name, example) in examples {
      // The model runs the commands, and may have changed.
      crashRecord?.begin(
        example.encodedCommands.map { .init(origin: .commands($0, example.choices)) })
      crashRecord?.position.set(drawing: 0)
      guard let commands = commands(of: example, name, &report) else { continue }
      // Commands that once ended a process run in another one, wherever that is possible.
      let isElsewhere = lockStep.isIsolated || example.endedProcess == true
      if example.endedProcess == true, processes == nil {
        announce(
          "Running the commands of the stored example \(name)",
          ended(with: commands, seed: example.seed, example.choices))
      }
      let (found, calls) = attempt(commands, isElsewhere: isElsewhere)
      report.calls += calls
      report.replayedExamples += 1
      guard let found, report.failure == nil else { continue }
      var failure = LockStepFailure<Spec>(
        specification: spec, commands: found.commands(of: commands), kind: found.kind,
        seed: example.seed, choices: example.choices, source: lockStep.source)
      for _ in 0..<settings.replays {
        let (again, calls) = attempt(commands, isElsewhere: isElsewhere)
        report.calls += calls
        failure.calls.replaying += calls
        failure.replays += 1
        if again?.kind.category == found.kind.category { failure.failedReplays += 1 }
      }
      failure.example = name
      report.failure = failure
    }
  }

  /// The commands of an example: as its choices draw them, or as it stores them if the generator
  /// has changed. An example that gives neither is reported as stale.
  private func commands(
    of example: StoredExample, _ name: String, _ report: inout Report
  ) -> [Spec.Command]? {
    var choices = Choices(replaying: example.choices)
    let redrawn = ShrinkCandidate(spec, &choices, count: example.choices.spans.count)
    let divergence = choices.finishReplay()
    if divergence == nil, redrawn.commands.map(\.description) == example.commands {
      return redrawn.commands
    }
    if let encoded = example.encodedCommands, let stored = lockStep.coding?.decode(encoded),
      stored.count == example.commands.count
    {
      return stored
    }
    report.staleExamples.append(
      (name, divergence?.description ?? "the choices now draw other commands"))
    return nil
  }
}

extension StoredExample {
  init<Spec: Specification>(
    _ failure: LockStepFailure<Spec>, coding: CommandCoding<Spec.Command>?
  ) {
    self.init(
      commands: failure.commands.map(\.description), choices: failure.choices,
      encodedCommands: coding?.encode(failure.commands), seed: failure.seed,
      failure: "\(failure.kind)", endedProcess: failure.kind.hasEndedProcess ? true : nil)
  }
}
