import Foundation
import Synchronization

/// Performs one exploration, from the first replay to the report. It blocks the calling thread.
final class LockStepEngine<Spec: Specification>: Sendable {
  typealias Monitor = RunMonitor<Spec.Response>
  typealias Report = LockStepReport<Spec>

  let lockStep: LockStep<Spec>
  private let worker = RunWorker()
  private let isCancelled = Atomic<Bool>(false)
  /// The record of the running commands, if failures are saved.
  private let crashRecord: CrashRecord?

  init(_ lockStep: LockStep<Spec>) {
    self.lockStep = lockStep
    crashRecord = lockStep.examples.flatMap {
      CrashRecord(of: lockStep.specification.typeName, in: $0)
    }
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  private var spec: Spec { lockStep.specification }
  private var settings: ExplorationSettings { lockStep.settings }

  func explore() -> Report {
    var report = Report(seed: settings.seed(ofRun: 0))
    let start = ContinuousClock.now
    defer {
      worker.stop()
      crashRecord?.end()
    }
    let health = HealthCheck(spec, settings)
    report.health = health.ofModel()
    examineCrashes(&report)
    if report.failure == nil { replayExamples(&report) }
    if report.failure == nil { runSeeds(&report, start) }
    report.health += health.ofGenerator(runs: report.runs)
    report.duration = ContinuousClock.now - start
    return report
  }

  /// Runs given commands once.
  func run(_ commands: [Spec.Command]) -> LockStepFailure<Spec>? {
    defer {
      worker.stop()
      crashRecord?.end()
    }
    guard let found = attempt(commands).failure else { return nil }
    let count = found.kind.isOfCommand ? min(found.step + 1, commands.count) : commands.count
    var failure = LockStepFailure<Spec>(
      specification: spec, commands: Array(commands.prefix(count)), kind: found.kind, seed: nil,
      choices: ChoiceSequence(), source: lockStep.source)
    failure.isShrunkFully = true
    return failure
  }

  // MARK: - Running

  private func runSeeds(_ report: inout Report, _ start: ContinuousClock.Instant) {
    let monitor = Monitor(position: crashRecord?.position)
    let shard = settings.shard
    crashRecord?.begin(
      .init(
        origin: .seeds(
          base: settings.seed, shard: shard.number, of: shard.count, settings.strategy)))
    let plan = LockStepPlan<Spec.Command>.seeds(
      first: 0, end: settings.runs, base: settings.seed, shard: settings.shard,
      settings.strategy, settings.steps)
    let ending = watch(
      plan, monitor, limit: settings.runLimit,
      until: settings.time.map { start.advanced(by: $0) }, start)
    report.runs = monitor.begun.load(ordering: .relaxed)
    report.calls += monitor.calls.load(ordering: .relaxed)
    guard case .failed(let found) = ending else { return }
    let candidate = drawn(run: found.run, count: found.step + (found.kind.isOfCommand ? 1 : 0))
    let seed = settings.seed(ofRun: found.run)
    report.failure = investigated(candidate, found.kind, seed: seed, &report)
    saveFailure(&report)
  }

  private func saveFailure(_ report: inout Report) {
    guard let failure = report.failure, let store = lockStep.examples else { return }
    do {
      report.savedExample = try store.save(
        StoredExample(failure, coding: lockStep.coding), of: spec.typeName)
    } catch {
      report.storeProblems.append("\(error)")
    }
  }

  /// Runs a plan, and abandons the worker if a run times out.
  ///
  /// A synchronous subject that blocks cannot be interrupted, so this thread watches the number of
  /// runs.
  private func watch(
    _ plan: LockStepPlan<Spec.Command>, _ monitor: Monitor, limit: Duration,
    until deadline: ContinuousClock.Instant? = nil, _ start: ContinuousClock.Instant? = nil
  ) -> Monitor.Ending {
    lockStep.start(plan, monitor, worker)
    let pause = min(max(limit / 8, .milliseconds(2)), .milliseconds(100))
    var lastRun = 0
    var lastChange = ContinuousClock.now
    var nextProgress = lastChange.advanced(by: .seconds(1))
    while true {
      let isStopping = monitor.isStopped.load(ordering: .relaxed)
      var wait = pause
      if let deadline, !isStopping {
        wait = min(wait, max(deadline - ContinuousClock.now, .milliseconds(1)))
      }
      if let ending = monitor.wait(wait) { return ending }
      let now = ContinuousClock.now
      let run = monitor.begun.load(ordering: .relaxed)
      if run != lastRun {
        lastRun = run
        lastChange = now
      } else if now - lastChange > limit {
        monitor.isStopped.store(true, ordering: .relaxed)
        let step = monitor.step.load(ordering: .relaxed)
        monitor.end(.failed(.init(run: max(run, 1) - 1, step: step, kind: .timedOut(after: limit))))
        let ending = monitor.wait(.zero) ?? .done
        worker.abandon()
        return ending
      }
      if isCancelled.load(ordering: .relaxed) || deadline.map({ now >= $0 }) == true {
        monitor.isStopped.store(true, ordering: .relaxed)
      }
      if let onProgress = lockStep.onProgress, let start, now >= nextProgress {
        nextProgress = now.advanced(by: .seconds(1))
        let commands = monitor.calls.load(ordering: .relaxed)
        onProgress(
          .init(runs: run, commands: commands, rate: Double(commands) / (now - start).seconds))
      }
    }
  }

  /// Runs commands once on a live subject.
  func attempt(
    _ commands: [Spec.Command], limit: Duration? = nil, as plan: CrashRecord.Plan? = nil
  ) -> (failure: RunFailure<Spec.Response>?, calls: Int) {
    let monitor = Monitor(position: crashRecord?.position)
    if let crashRecord {
      let encoded = plan == nil ? lockStep.coding?.encode(commands) : nil
      crashRecord.begin(plan ?? encoded.map { .init(origin: .commands($0)) })
    }
    let ending = watch(.commands(commands), monitor, limit: limit ?? settings.runLimit)
    let calls = monitor.calls.load(ordering: .relaxed)
    if case .failed(let failure) = ending { return (failure, max(calls, failure.step)) }
    return (nil, calls)
  }

  /// Draws the commands of a run again and records the choices, because runs are not recorded.
  private func drawn(run: Int, count: Int) -> ShrinkCandidate<Spec> {
    var choices = Choices(seed: settings.seed(ofRun: run), strategy: settings.strategy)
    return ShrinkCandidate(spec, &choices, count: count)
  }

  // MARK: - Failures

  /// Replays a failure, and shrinks it if every replay fails.
  private func investigated(
    _ original: ShrinkCandidate<Spec>, _ kind: LockStepFailureKind<Spec.Response>,
    seed: UInt64, _ report: inout Report
  ) -> LockStepFailure<Spec> {
    var failure = LockStepFailure<Spec>(
      specification: spec, commands: original.commands, kind: kind, seed: seed,
      choices: original.sequence, source: lockStep.source)
    // Shrinking a timeout takes many timeouts, so it uses a shorter one, and the result is
    // confirmed with the full one.
    let isTimeout = if case .timedOut = kind { true } else { false }
    let limit = isTimeout ? min(settings.runLimit, .milliseconds(500)) : settings.runLimit
    for _ in 0..<settings.replays {
      let (again, calls) = attempt(original.commands, limit: limit)
      failure.calls.replaying += calls
      failure.replays += 1
      if again?.kind.category == kind.category { failure.failedReplays += 1 }
    }
    if !failure.isFlaky, !original.commands.isEmpty {
      var shrinker = Shrinker(
        spec, original, kind,
        budget: (settings.shrinkCalls, .now.advanced(by: settings.shrinkTime))
      ) { [self] in attempt($0, limit: limit) }
      shrinker.shrink()
      failure.calls.shrinking = shrinker.calls
      failure.attempts = shrinker.attempts
      failure.isShrunkFully = !shrinker.isOverBudget
      var isConfirmed = true
      if isTimeout {
        let (again, calls) = attempt(shrinker.best.commands)
        failure.calls.replaying += calls
        isConfirmed = again?.kind.category == kind.category
      }
      if isConfirmed {
        failure.commands = shrinker.best.commands
        failure.choices = shrinker.best.sequence
        failure.kind = isTimeout ? kind : shrinker.kind
      } else {
        failure.isShrunkFully = false
      }
    }
    report.calls += failure.calls.replaying + failure.calls.shrinking
    return failure
  }

  // MARK: - Commands that ended a process

  /// Finds out whether commands that were running when an earlier process ended were the cause.
  ///
  /// Another test or a signal may have ended that process. So the commands are announced and run
  /// again. If this process ends as well, the next one reports them as a failure and runs nothing.
  private func examineCrashes(_ report: inout Report) {
    guard let store = lockStep.examples else { return }
    for leftover in CrashRecord.leftovers(of: spec.typeName, in: store) {
      var failure: LockStepFailure<Spec>
      var plan = leftover.plan
      switch plan.origin {
      case .seeds(let base, let shard, let count, let strategy):
        guard let shard = Shard(shard, of: count) else { continue }
        let seed = shard.seed(ofRun: leftover.run, from: base)
        var choices = Choices(seed: seed, strategy: strategy)
        let drawn = ShrinkCandidate(spec, &choices, count: leftover.commands)
        failure = ended(with: drawn.commands, seed: seed, drawn.sequence)
        plan.origin = .seeds(base: seed, shard: 1, of: 1, strategy)
      case .commands(let encoded):
        guard let commands = lockStep.coding?.decode(encoded) else { continue }
        failure = ended(
          with: Array(commands.prefix(leftover.commands)), seed: nil, ChoiceSequence())
      }
      if plan.isSuspect {
        report.failure = failure
        saveFailure(&report)
        return
      }
      announce(failure, "Running the commands during which an earlier process ended")
      plan.isSuspect = true
      report.calls += attempt(failure.commands, as: plan).calls
    }
  }

  private func ended(
    with commands: [Spec.Command], seed: UInt64?, _ choices: ChoiceSequence
  ) -> LockStepFailure<Spec> {
    LockStepFailure(
      specification: spec, commands: commands, kind: .endedProcess, seed: seed, choices: choices,
      source: lockStep.source)
  }

  /// Prints commands that may end this process to standard error, before they run.
  private func announce(_ failure: LockStepFailure<Spec>, _ action: String) {
    let text = "\(action); if this process ends as well, they are the cause:\n"
    FileHandle.standardError.write(Data((text + "\(failure.swiftTest)\n").utf8))
  }

  // MARK: - Examples

  private func replayExamples(_ report: inout Report) {
    guard let store = lockStep.examples else { return }
    let (examples, problems) = store.examples(of: spec.typeName)
    report.storeProblems += problems.map(\.description)
    for (name, example) in examples {
      var choices = Choices(replaying: example.choices)
      let redrawn = ShrinkCandidate(spec, &choices, count: example.choices.spans.count)
      let divergence = choices.finishReplay()
      var commands = redrawn.commands
      if divergence != nil || commands.map(\.description) != example.commands {
        guard let encoded = example.encodedCommands, let stored = lockStep.coding?.decode(encoded),
          stored.count == example.commands.count
        else {
          let reason = divergence?.description ?? "the choices now draw other commands"
          report.staleExamples.append((name, reason))
          continue
        }
        commands = stored
      }
      if example.endedProcess == true {
        announce(
          ended(with: commands, seed: example.seed, example.choices),
          "Running the commands of the stored example \(name)")
      }
      let (found, calls) = attempt(commands)
      report.calls += calls
      report.replayedExamples += 1
      guard let found, report.failure == nil else { continue }
      let count = found.kind.isOfCommand ? min(found.step + 1, commands.count) : commands.count
      var failure = LockStepFailure<Spec>(
        specification: spec, commands: Array(commands.prefix(count)), kind: found.kind,
        seed: example.seed, choices: example.choices, source: lockStep.source)
      for _ in 0..<settings.replays {
        let (again, calls) = attempt(commands)
        report.calls += calls
        failure.calls.replaying += calls
        failure.replays += 1
        if again?.kind.category == found.kind.category { failure.failedReplays += 1 }
      }
      failure.example = name
      report.failure = failure
    }
  }
}
