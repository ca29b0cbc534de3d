/// The search: which schedule to run next, when to stop, what to report.
///
/// One strategy alone finds some bugs late: the depth-first search stays long in one corner, few
/// preemptions miss what needs several, random schedules miss what needs few. So they take turns,
/// after a head start for the search that can end with a proof. While that search looks like ending
/// soon, it has all turns.
///
/// Where anything may be shared, that search first takes actors for all that is: the bugs of most
/// programs are in the few schedules that are left. Only then does it begin again with everything.
final class Explorer {
  private let options: InterleavingOptions
  private let runner: ProgramRunner
  private var depthFirst: DepthFirstSearch
  private var bounded: BoundedSearch
  private var usesDepthFirst = true
  /// Whether the depth-first search still takes actors for all that is shared.
  private var isAboutActors: Bool
  private var actorSchedules = 0
  /// Whether an actor's turn may be one step with the job that asked for it.
  private var mayJoinTurns: Bool
  private var report = InterleavingReport()
  private var typicalLength = 1

  /// Schedules that the depth-first search may run before the others join in.
  private static let headStart = 12
  /// From here on, the strategies take equal turns.
  private static let longRun = 600
  /// Every so many schedules, one is run twice and compared.
  private static let doubleCheckInterval = 256

  init(
    options: InterleavingOptions,
    build: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
  ) {
    self.options = options
    runner = ProgramRunner(options: options, build: build)
    depthFirst = DepthFirstSearch(isReducing: options.isReducing)
    bounded = BoundedSearch(seed: options.seed)
    report.seed = options.seed
    isAboutActors = options.isReducing
    mayJoinTurns = options.isReducing
  }

  private enum Strategy: Equatable {
    case depthFirst
    case bounded
    case random
    case priorities(depth: Int)
  }

  private func strategy(at iteration: Int) -> Strategy {
    let canBound = bounded.bound != nil
    if usesDepthFirst {
      if iteration < Self.headStart || !options.stopsAtFailure { return .depthFirst }
      let turns = min(Self.longRun, options.schedules) - iteration
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

  func explore() -> InterleavingReport {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: options.time)
    if let schedule = options.replay, replay(schedule) { return finish() }
    var iteration = 0
    var outcome: ProgramRunner.Outcome
    while iteration < options.schedules {
      if iteration & 15 == 15, clock.now >= end || Task.isCancelled { break }
      let strategy = strategy(at: iteration)
      let isAboutActors = isAboutActors && strategy == .depthFirst
      runner.grain = grain(isAboutActors: isAboutActors || options.sharing == .actorsOnly)
      switch strategy {
      case .depthFirst:
        depthFirst.begin()
        outcome = runner.run(depthFirst)
        note(outcome)
        depthFirst.advance(after: runner.steps(outcome))
      case .bounded:
        bounded.begin()
        outcome = runner.run(bounded)
        note(outcome)
        bounded.advance()
      case .random:
        outcome = runner.run(RandomPolicy(seed: options.seed &+ UInt64(iteration) &* 0x9e37))
        note(outcome)
      case .priorities(let depth):
        let seed = options.seed &+ UInt64(iteration) &* 0x85eb
        outcome = runner.run(PriorityPolicy(seed: seed, depth: depth, length: typicalLength))
        note(outcome)
      }
      iteration += 1
      if let failure = outcome.failure, report.failure == nil {
        report.failure = failure
        report.failure?.foundAfter = iteration
        if options.stopsAtFailure {
          report.schedules = iteration
          minimise(outcome)
          return finish()
        }
      } else if iteration % Self.doubleCheckInterval == 1, outcome.end == .finished {
        doubleCheck(outcome)
      }
      if isAboutActors { actorSchedules += 1 }
      if outcome.grain == .joined && outcome.hasBoundArrivals {
        // Start over with smaller steps; what was learnt belongs to the larger ones.
        mayJoinTurns = false
        depthFirst = DepthFirstSearch(isReducing: options.isReducing)
        if options.sharing == .actorsOnly { bounded = BoundedSearch(seed: options.seed) }
        continue
      }
      if isAboutActors, depthFirst.isExhausted || depthFirst.hasDiverged {
        if depthFirst.isExhausted, report.cutOff == 0 { report.actorSchedules = actorSchedules }
        self.isAboutActors = false
        if options.sharing == .anything {
          depthFirst = DepthFirstSearch(isReducing: options.isReducing)
        }
      }
      if depthFirst.hasDiverged { usesDepthFirst = false }
      if depthFirst.isExhausted { break }
    }
    report.schedules = iteration
    report.isExhaustive = depthFirst.isExhausted && report.cutOff == 0
    return finish()
  }

  private func grain(isAboutActors: Bool) -> Grain {
    guard isAboutActors, options.isReducing else { return .fine }
    return mayJoinTurns ? .joined : .actors
  }

  private func note(_ outcome: ProgramRunner.Outcome) {
    typicalLength = max(typicalLength, outcome.steps)
    if outcome.end == .cutOff { report.cutOff += 1 }
  }

  private func finish() -> InterleavingReport {
    report.uncontrolled = runner.uncontrolledWork
    if !report.uncontrolled.isEmpty {
      report.isExhaustive = false
      report.actorSchedules = nil
    }
    if !Scheduler.coversSleep {
      report.remarks.append(
        "Task.sleep takes real time with this Swift runtime: inject a VirtualClock instead.")
    }
    return report
  }

  /// Runs a recorded schedule.
  ///
  /// - Returns: Whether it still fails, which ends the exploration.
  private func replay(_ schedule: Schedule) -> Bool {
    let script = ScriptPolicy(schedule)
    runner.grain = schedule.grain
    let outcome = runner.run(script)
    note(outcome)
    if let decision = script.firstImpossible
      ?? (script.isUsedUp ? nil : Int(runner.decisions(outcome)))
    {
      report.remarks.append(
        "The recorded schedule is stale: the program has changed, and decision \(decision) cannot "
          + "be made any more. It was followed as far as possible.")
    } else if schedule.digest != 0, schedule.digest != runner.digest(outcome) {
      report.remarks.append(
        "The recorded schedule is stale: the program took other steps than when it was recorded.")
    }
    guard let failure = outcome.failure else {
      report.remarks.append("The recorded schedule no longer fails.")
      return false
    }
    report.failure = failure
    report.failure?.foundAfter = 1
    report.schedules = 1
    minimise(outcome)
    return true
  }

  /// Runs the last schedule again: a difference comes from something that nobody controls.
  private func doubleCheck(_ outcome: ProgramRunner.Outcome) {
    let schedule = runner.lastSchedule(outcome)
    let again = runner.run(ScriptPolicy(schedule))
    if runner.digest(again) != schedule.digest || (again.failure == nil) != (outcome.failure == nil)
    {
      runner.noteUnknown()
    }
  }

  private func minimise(_ outcome: ProgramRunner.Outcome) {
    guard let failure = report.failure else { return }
    let minimiser = ScheduleMinimiser(runner: runner, kind: failure.kind)
    let schedule = runner.lastSchedule(outcome)
    let best = minimiser.minimise(schedule)
    report.failure?.minimisationRuns = minimiser.runs
    guard let best else {
      // Not even the schedule itself fails again.
      report.failure?.schedule = schedule
      report.failure?.replays = 1
      return
    }
    let replays = failure.kind == .deadlock ? 3 : 10
    var reproduced = 0
    for _ in 0..<replays
    where runner.run(ScriptPolicy(best.schedule)).failure?.kind == failure.kind {
      reproduced += 1
    }
    let traced = runner.trace(best.schedule)
    if let failure = traced.failure, failure.kind == report.failure?.kind {
      report.failure?.message = failure.message
      report.failure?.error = failure.error
      report.failure?.task = failure.task
    }
    report.failure?.schedule = best.schedule
    report.failure?.preemptions = best.preemptions
    report.failure?.trace = traced.text
    report.failure?.replays = replays
    report.failure?.reproduced = reproduced
  }
}
