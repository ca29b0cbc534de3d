import ExplorationEngine
import SystemFibers
import SystemPlatform

/// Decides which schedule of a program runs next, when the search ends, and what the report says.
///
/// No strategy alone finds every bug early. The depth-first search stays long in one part of the
/// program, a search with few preemptions misses bugs that need several, and random schedules miss
/// bugs that need one precise order. So the strategies take turns. The depth-first search, the only
/// one that can end with a proof, has a head start, and all turns while it is likely to end soon.
final class Explorer {
  private let settings: ExplorationSettings
  private let runner: ProgramRunner
  @exclusivity(unchecked) private var report = InterleavingReport()
  @exclusivity(unchecked) private var depthFirst: DepthFirstSearch
  @exclusivity(unchecked) private var bounded: BoundedSearch
  /// Whether the depth-first search can continue; it cannot after it has diverged.
  private var usesDepthFirst = true
  /// Whether a run has not repeated the prefix of another.
  private var hasDiverged = false
  /// The most steps of a schedule so far, but at least 1.
  private var typicalLength = 1

  /// The number of schedules before the depth-first search shares its turns.
  private static let headStart = 12
  /// The number of schedules after which the strategies take equal turns.
  private static let longRun = 600
  /// Of this many schedules, one runs twice and is compared.
  private static let doubleCheckInterval = 256

  init(
    settings: ExplorationSettings, watch: CodeWatch,
    build: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
  ) {
    self.settings = settings
    runner = ProgramRunner(settings: settings, watch: watch, build: build)
    depthFirst = DepthFirstSearch(isReducing: settings.isReducing)
    bounded = BoundedSearch(seed: settings.seed)
    report.seed = settings.seed
  }

  // MARK: - Searching

  func explore() -> InterleavingReport {
    defer { runner.close() }
    let deadline = ContinuousClock.now.advanced(by: settings.timeOrNoLimit)
    runner.deadline =
      monotonicNanoseconds().addingReportingOverflow(
        settings.timeOrNoLimit.wholeNanoseconds
      ).partialValue
    if let schedule = settings.replay, replay(schedule) { return finished() }
    while report.schedules < settings.runs, !depthFirst.isExhausted, !isOver(deadline) {
      let outcome = runNext(nextStrategy())
      report.schedules += 1
      if var failure = outcome.failure, report.failure == nil {
        failure.foundAfter = report.schedules
        report.failure = failure
        if settings.stopsAtFailure {
          minimize(outcome)
          return finished()
        }
      } else if report.schedules % Self.doubleCheckInterval == 1, outcome.end == .finished {
        doubleCheck(outcome)
      }
      updateSearches(after: outcome)
    }
    report.isSearchedToEnd = depthFirst.isExhausted && report.cutOff == 0
    return finished()
  }

  /// Whether the time limit is reached or the task is cancelled; checked at every 16th schedule.
  private func isOver(_ deadline: ContinuousClock.Instant) -> Bool {
    report.schedules & 15 == 15 && (ContinuousClock.now >= deadline || Task.isCancelled)
  }

  /// The report when code of the program has exceeded a limit. Called on another thread, while the
  /// exploration's does not go on.
  func report(on stopped: StoppedCode) -> InterleavingReport {
    report.failure = InterleavingFailure(kind: .stopped, message: "\(stopped)")
    report.failure?.foundAfter = report.schedules + 1
    if let (schedule, trace) = runner.scheduler.interruptedStep() {
      report.failure?.schedule = schedule
      report.failure?.trace = trace
    }
    return finished()
  }

  private enum Strategy {
    case depthFirst
    case bounded
    case random
    case priorities(depth: Int)
  }

  /// The strategy of the next schedule; it depends only on the schedules before, so searches
  /// repeat.
  private func nextStrategy() -> Strategy {
    let iteration = report.schedules
    let canBound = bounded.bound != nil
    if usesDepthFirst {
      if iteration < Self.headStart || !settings.stopsAtFailure { return .depthFirst }
      let turns = min(Self.longRun, settings.runs) - iteration
      if turns > 0, depthFirst.estimatedRest <= Double(turns) { return .depthFirst }
      if iteration < Self.longRun ? iteration % 20 == 0 : iteration % 2 == 0 {
        return .depthFirst
      }
    }
    if iteration < Self.longRun {
      return iteration % 4 != 0 && canBound ? .bounded : .random
    }
    switch iteration / 2 % 3 {
    case 0 where canBound: return .bounded
    case 1: return .priorities(depth: 2 + iteration / 6 % 4)
    default: return .random
    }
  }

  /// Runs one schedule of a strategy.
  private func runNext(_ strategy: Strategy) -> RunOutcome {
    // The factors differ, so that the strategies draw from different seeds.
    let iteration = UInt64(report.schedules)
    let outcome: RunOutcome
    switch strategy {
    case .depthFirst:
      depthFirst.begin()
      outcome = runner.run(depthFirst)
      depthFirst.advance(after: outcome.steps)
    case .bounded:
      bounded.begin()
      outcome = runner.run(bounded)
      bounded.advance()
    case .random:
      outcome = runner.run(RandomPolicy(seed: settings.seed &+ iteration &* 0x9e37))
    case .priorities(let depth):
      let seed = settings.seed &+ iteration &* 0x85eb
      outcome = runner.run(PriorityPolicy(seed: seed, depth: depth, length: typicalLength))
    }
    note(outcome)
    return outcome
  }

  private func note(_ outcome: RunOutcome) {
    typicalLength = max(typicalLength, outcome.steps.count)
    if outcome.end == .cutOff { report.cutOff += 1 }
  }

  /// Starts the searches over if the last schedule has met a new kind of point, and ends the
  /// depth-first search if a run did not repeat the prefix of another.
  private func updateSearches(after outcome: RunOutcome) {
    if depthFirst.hasDiverged, !depthFirst.isTooLong { hasDiverged = true }
    if outcome.hasNewPoints {
      // What the searches have learnt belongs to runs without these points.
      depthFirst = DepthFirstSearch(isReducing: settings.isReducing)
      bounded = BoundedSearch(seed: settings.seed)
    } else if depthFirst.hasDiverged {
      usesDepthFirst = false
    }
  }

  /// The report with the remarks and restrictions that hold for the whole search.
  private func finished() -> InterleavingReport {
    let points = runner.points
    if hasDiverged, runner.uncontrolledWork.isEmpty { runner.noteUnknown() }
    report.uncontrolled = runner.uncontrolledWork
    report.points = points
    report.timers = settings.timers
    if report.failure == nil, report.cutOff > 0, report.cutOff == report.schedules,
      runner.hasOpenTasks
    {
      report.failure = InterleavingFailure(kind: .stopped, message: runner.cutOffDescription)
      report.failure?.foundAfter = report.schedules
    }
    if !report.uncontrolled.isEmpty || points.leaveOutOrders,
      !settings.leavesOut.contains(.uncontrolledWork)
    {
      report.isSearchedToEnd = false
    }
    if Fiber.unavailability != nil { report.isSearchedToEnd = false }
    report.untriedLocks = runner.scheduler.lockUses.untriedLocks
    report.isExhaustive = report.isSearchedToEnd && report.untriedLocks.isEmpty
    report.remarks += Self.remarks(on: points, timers: settings.timers)
    if !Scheduler.coversSleep {
      report.remarks.append(
        "Task.sleep takes real time with this Swift runtime; inject a VirtualClock instead.")
    }
    return report
  }

  private static func remarks(on points: PreemptionPoints, timers: TimerOrder) -> [String] {
    var remarks: [String] = []
    if let reason = Fiber.unavailability {
      remarks.append(
        "The search is not exhaustive: tasks were preempted only where they suspend, not where "
          + "they create or wake another task, nor at locks and atomics, and new threads, random "
          + "bytes and work for Dispatch could not be observed: \(reason).")
    } else if points.missed > 0 {
      remarks.append(
        "\(points.missed) times, a task could not be preempted in a cancellation handler, which "
          + "the runtime calls under a lock.")
    }
    if points.hasPriorities {
      remarks.append(
        "Tasks have different priorities. An actor runs the more urgent first, and that order can "
          + "differ from the explored ones.")
    }
    if points.hasUnknownCancellations {
      remarks.append(
        "A task was cancelled while it waited, after a sleep; its timer may race with that.")
    }
    if points.hasClockLoops {
      remarks.append(
        "A task read a clock again and again without sleeping. Its readings moved the virtual time, and not every "
          + "order of them was explored.")
    }
    if points.hasLateTimeOuts {
      remarks.append(
        "A wait with a time limit, or a sleep of a thread, never ended before a racing timer.")
    }
    if points.hasLateTimers, timers == .virtual {
      remarks.append(
        "No timer fired while a task could run; `timers: .racing` explores that as well.")
    }
    return remarks
  }

  // MARK: - Replaying

  /// Runs the recorded schedule, and remarks in the report if it is stale.
  ///
  /// - Returns: Whether it fails, which ends the exploration.
  private func replay(_ schedule: Schedule) -> Bool {
    let script = ScriptPolicy(schedule)
    let outcome = runner.run(script)
    note(outcome)
    if let decision = script.firstImpossible
      ?? (script.isUsedUp ? nil : outcome.decisions)
    {
      report.remarks.append(
        "The recorded schedule is stale: the program has changed and cannot make decision "
          + "\(decision). The schedule was followed as far as possible.")
    } else if schedule.digest != 0, schedule.digest != outcome.digest {
      report.remarks.append(
        "The recorded schedule is stale: the program's steps differ from the recorded ones.")
    }
    guard let failure = outcome.failure else {
      report.remarks.append("The recorded schedule no longer fails.")
      return false
    }
    report.failure = failure
    report.failure?.foundAfter = 1
    report.schedules = 1
    minimize(outcome)
    return true
  }

  /// Runs the last schedule again and compares the two runs.
  ///
  /// A difference comes from something that no schedule decides, such as real time or randomness.
  private func doubleCheck(_ outcome: RunOutcome) {
    let schedule = outcome.schedule
    let again = runner.run(ScriptPolicy(schedule))
    if !again.steps.elementsEqual(outcome.steps, by: Scheduler.Step.isSame)
      || (again.failure == nil) != (outcome.failure == nil)
    {
      runner.noteUnknown()
    }
  }

  /// Replaces the report's failure by the simplest schedule that fails in the same way, and replays
  /// that.
  private func minimize(_ outcome: RunOutcome) {
    guard let failure = report.failure else { return }
    let minimizer = ScheduleMinimizer(runner: runner, kind: failure.kind)
    let schedule = outcome.schedule
    let best = minimizer.minimize(schedule)
    report.failure?.minimizationRuns = minimizer.runs
    guard let best else {
      // The schedule itself did not fail again, so one replay of one differed.
      report.failure?.schedule = schedule
      report.failure?.replays = 1
      return
    }
    // Every replay of a deadlock waits for other threads.
    let replays = failure.kind == .deadlock ? 3 : 10
    var reproduced = 0
    for _ in 0..<replays
    where runner.run(ScriptPolicy(best.schedule)).failure?.kind == failure.kind {
      reproduced += 1
    }
    let traced = runner.run(ScriptPolicy(best.schedule), isTracing: true)
    if let failure = traced.failure, failure.kind == report.failure?.kind {
      report.failure?.message = failure.message
      report.failure?.error = failure.error
      report.failure?.task = failure.task
    }
    report.failure?.schedule = best.schedule
    report.failure?.preemptions = best.preemptions
    report.failure?.trace = traced.trace
    report.failure?.replays = replays
    report.failure?.reproduced = reproduced
  }
}
