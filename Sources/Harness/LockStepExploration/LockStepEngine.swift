internal import ExplorationEngine
import Foundation
import Synchronization

/// Performs one exploration, from the first replay to the report. It blocks the calling thread.
final class LockStepEngine<Spec: Specification>: Sendable {
  typealias Monitor = RunMonitor<Spec.Response>
  typealias Report = LockStepReport<Spec>
  typealias Candidate = ShrinkCandidate<Spec>

  let lockStep: LockStep<Spec>
  let worker = RunWorker()
  let isCancelled = Atomic<Bool>(false)
  /// The record of the running commands, if failures are saved or another process runs the subject.
  let crashRecord: CrashRecord?
  let processes: SubjectProcesses?

  init(_ lockStep: LockStep<Spec>) {
    self.lockStep = lockStep
    processes = lockStep.processes
    crashRecord =
      lockStep.examples == nil && processes == nil
      ? nil : CrashRecord(key: lockStep.crashKey)
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  var spec: Spec { lockStep.specification }
  var settings: ExplorationSettings { lockStep.settings }

  func explore() -> Report {
    var report = Report(seed: settings.seed(ofRun: 0))
    let start = ContinuousClock.now
    defer { end() }
    // Reading the literals of source files takes a tenth of a second: here, on the exploration's
    // thread, and not on one on which other tests have to run.
    let runs = SeededRuns(settings, literals: lockStep.literals)
    let health = HealthCheck(spec, settings, runs)
    examineCrashes(&report)
    if !report.endsProcess {
      // A model that ends its process ends the one of the subjects first, if they have one.
      if !lockStep.isIsolated { checkModel(health, runs, &report) }
      if report.failure == nil { replayExamples(&report) }
      if report.failure == nil, !report.endsProcess { runSeeds(runs, &report, start) }
    }
    if !report.endsProcess {
      if lockStep.isIsolated { checkModel(health, runs, &report) }
      report.health += health.ofGenerator(runs: report.runs)
    }
    report.duration = ContinuousClock.now - start
    return report
  }

  private func checkModel(
    _ health: HealthCheck<Spec>, _ runs: SeededRuns, _ report: inout Report
  ) {
    crashRecord?.begin(.init(origin: .seeds(runs)))
    report.health += health.ofModel(crashRecord?.position ?? CrashPosition())
  }

  /// The report when code of the specification has exceeded a limit.
  func report(on stopped: StoppedCode, _ watch: CodeWatch) -> Report {
    cancel()
    end()
    var report = Report(seed: settings.seed(ofRun: 0))
    let commands = watch.drawn.commands.map { "\($0)" }
    report.health = [.neverReturns(stopped, commands: commands, seed: watch.drawn.seed)]
    return report
  }

  /// Runs given commands once.
  func run(_ commands: [Spec.Command]) -> LockStepFailure<Spec>? {
    defer { end() }
    guard let found = attempt(commands, isGiven: true).failure else { return nil }
    var failure = LockStepFailure<Spec>(
      specification: spec, commands: found.commands(of: commands), kind: found.kind, seed: nil,
      choices: ChoiceSequence(), source: lockStep.source)
    failure.isShrunkFully = true
    return failure
  }

  /// Runs lists of commands, each once on a separate subject.
  func run<Value>(
    each lists: [[Spec.Command]],
    _ end: (LockStepFailureKind<Spec.Response>?, _ count: Int) -> Value
  ) -> [Value] {
    defer { self.end() }
    var values: [Value] = []
    for commands in lists where !isCancelled.load(ordering: .relaxed) {
      let failure = attempt(commands).failure
      let count = failure.map { $0.step + ($0.kind.isOfCommand ? 1 : 0) }
      values.append(end(failure?.kind, count ?? commands.count))
    }
    return values
  }

  private func end() {
    worker.stop()
    if !lockStep.keepsProcesses { processes?.stop() }
    crashRecord?.end()
  }

  // MARK: - New runs

  private func runSeeds(
    _ runs: SeededRuns, _ report: inout Report, _ start: ContinuousClock.Instant
  ) {
    let monitor = Monitor(position: crashRecord?.position)
    crashRecord?.begin(.init(origin: .seeds(runs)))
    let searchStart = ContinuousClock.now
    let ending = watch(
      .seeds(runs), monitor, limit: settings.runLimit,
      until: settings.time.map { searchStart.advanced(by: $0) },
      isElsewhere: lockStep.isIsolated
    ) { [lockStep] runs, commands in
      lockStep.onProgress?(
        .init(
          runs: runs, commands: commands,
          rate: Double(commands) / (ContinuousClock.now - start).seconds))
    }
    report.searchTime = ContinuousClock.now - searchStart
    report.runs = monitor.begun.load(ordering: .relaxed)
    report.calls += monitor.calls.load(ordering: .relaxed)
    guard case .failed(var found) = ending else { return }
    if case .specificationEndedProcess(let reason) = found.kind {
      guard specificationEnds(.seeds(runs.only(found.run)))?.step != found.step else {
        report.health.append(ended(reason, run: found.run, of: runs, count: found.step))
        return
      }
      // What the subject left running, or a signal, ended the process meanwhile.
      found = .init(
        run: found.run, step: max(found.step - 1, 0), kind: .endedProcess(reason))
    }
    let count = found.step + (found.kind.isOfCommand ? 1 : 0)
    let seed = settings.seed(ofRun: found.run)
    report.failure = investigated(
      drawn(run: found.run, of: runs, count: count), found.kind, seed: seed,
      isElsewhere: lockStep.isIsolated, &report)
    saveFailure(&report)
  }

  /// Draws the commands of a run again and records the choices, because runs are not recorded.
  func drawn(run: Int, of runs: SeededRuns, count: Int) -> Candidate {
    CodeWatch.current.value?.drawn.seed = runs.seed(ofRun: run)
    var choices = runs.choices(isRecording: true)
    runs.start(run, &choices)
    return ShrinkCandidate(spec, &choices, count: count)
  }

  /// Runs a plan in another process, and returns how the model or the generator ends that, if it does.
  func specificationEnds(
    _ plan: LockStepPlan<Spec.Command>
  ) -> (step: Int, reason: String)? {
    let monitor = Monitor(position: crashRecord?.position)
    let ending = watch(plan, monitor, limit: settings.runLimit, isElsewhere: true)
    guard case .failed(let found) = ending, case .specificationEndedProcess(let reason) = found.kind
    else { return nil }
    return (found.step, reason)
  }

  /// The issue of a model or a generator that ended the process of a run.
  func ended(_ reason: String, run: Int, of runs: SeededRuns, count: Int) -> HealthIssue {
    .endsProcess(
      reason: reason,
      commands: drawn(run: run, of: runs, count: count).commands.map(\.description),
      seed: runs.seed(ofRun: run))
  }

  // MARK: - Failures

  /// Runs commands once on a live subject.
  ///
  /// - Parameters:
  ///   - commands: The commands.
  ///   - choices: The choices from which they are drawn, if they are known.
  ///   - limit: The timeout; by default that of the settings.
  ///   - isElsewhere: Whether another process runs the subject; by default if every run does.
  ///   - isGiven: Whether the other process has the commands already.
  ///   - plan: The entry of the crash record; by default the commands.
  ///   - run: The run's number in that entry.
  func attempt(
    _ commands: [Spec.Command], choices: ChoiceSequence? = nil, limit: Duration? = nil,
    isElsewhere: Bool? = nil, isGiven: Bool = false, as plan: CrashRecord.Plan? = nil,
    run: Int = 0
  ) -> (failure: RunFailure<Spec.Response>?, calls: Int) {
    let monitor = Monitor(position: crashRecord?.position)
    if let crashRecord {
      let encoded = plan == nil ? lockStep.coding?.encode(commands) : nil
      crashRecord.begin(plan ?? encoded.map { .init(origin: .commands($0, choices)) })
    }
    let ending = watch(
      .commands(commands, run: run), monitor, limit: limit ?? settings.runLimit,
      isElsewhere: isElsewhere ?? lockStep.isIsolated, isGiven: isGiven)
    let calls = monitor.calls.load(ordering: .relaxed)
    if case .failed(let failure) = ending { return (failure, max(calls, failure.step)) }
    return (nil, calls)
  }

  /// Replays a failure, and shrinks it if every replay fails.
  func investigated(
    _ original: Candidate, _ kind: LockStepFailureKind<Spec.Response>, seed: UInt64?,
    isElsewhere: Bool, _ report: inout Report
  ) -> LockStepFailure<Spec> {
    var failure = LockStepFailure<Spec>(
      specification: spec, commands: original.commands, kind: kind, seed: seed,
      choices: original.sequence, source: lockStep.source)
    // Shrinking a timeout takes many timeouts, so it uses a shorter one, of many times what a run takes, and
    // the result is confirmed with the full one.
    let isTimeout = if case .timedOut = kind { true } else { false }
    var limit = settings.runLimit
    if isTimeout {
      let usual = (report.searchTime - limit) / max(report.runs, 1) * 100
      let isKnown = report.runs > 10
      limit = min(limit, max(.milliseconds(50), min(isKnown ? usual : limit, .milliseconds(500))))
    }
    for _ in 0..<settings.replays {
      // One replay with the full limit comes first: the machine may have been busy.
      let isKnown = !isTimeout || failure.failedReplays > 0
      let (again, calls) = attempt(
        original.commands, choices: original.sequence,
        limit: isKnown ? limit : settings.runLimit, isElsewhere: isElsewhere)
      failure.calls.replaying += calls
      failure.replays += 1
      if again?.kind.category == kind.category { failure.failedReplays += 1 }
    }
    if !failure.isFlaky, !original.commands.isEmpty {
      var shrinker = Shrinker(
        spec, original, kind,
        budget: (settings.shrinkCalls, .now.advanced(by: settings.shrinkTime))
      ) { [self] candidate in
        attempt(
          candidate.commands, choices: candidate.sequence, limit: limit, isElsewhere: isElsewhere)
      }
      shrinker.shrink()
      failure.calls.shrinking = shrinker.calls
      failure.attempts = shrinker.attempts
      failure.isShrunkFully = !shrinker.isOverBudget
      var isConfirmed = true
      if isTimeout {
        let (again, calls) = attempt(
          shrinker.best.commands, choices: shrinker.best.sequence, isElsewhere: isElsewhere)
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
}

extension LockStepReport {
  /// Whether the model or the generator ends its process, so that nothing more can be drawn.
  fileprivate var endsProcess: Bool {
    health.contains { if case .endsProcess = $0 { true } else { false } }
  }
}

extension RunFailure {
  /// The commands up to the one that failed, or all if the setup or the teardown failed. Without the one on which
  /// the model ends the process, because a report runs them on the model.
  func commands<Command>(of all: [Command]) -> [Command] {
    if case .specificationEndedProcess = kind { return Array(all.prefix(max(step - 1, 0))) }
    return kind.isOfCommand ? Array(all.prefix(step + 1)) : all
  }
}
