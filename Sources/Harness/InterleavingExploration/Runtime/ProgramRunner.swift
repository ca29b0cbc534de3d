import ExplorationEngine

/// Runs a program under a policy, any number of times, on the calling thread.
final class ProgramRunner {
  private let build: @Sendable (inout ConcurrentProgram) throws -> Void
  /// The program and its tasks; only their storage is kept from run to run.
  @exclusivity(unchecked) private var program = ConcurrentProgram()
  @exclusivity(unchecked) private var handles: [Task<Void, Never>] = []
  private let settings: ExplorationSettings
  private let watch: CodeWatch
  /// The time on the monotonic clock after which a run is cut off.
  var deadline = Int64.max
  private(set) var scheduler: Scheduler
  private(set) var runs = 0
  /// Whether tasks of the program had not ended at the end of the last run.
  private(set) var hasOpenTasks = false
  /// Where the tasks of the last run's last steps resumed, if it was cut off.
  private var lastResumptions: [UInt] = []
  private var uncontrolled: [UncontrolledWork.Kind: UncontrolledWork] = [:]

  /// Frees the stacks and threads of the jobs. They belong to the calling thread, which ran them.
  func close() { scheduler.releaseWorkers() }

  init(
    settings: ExplorationSettings, watch: CodeWatch,
    build: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
  ) {
    self.settings = settings
    self.watch = watch
    self.build = build
    scheduler = Self.makeScheduler(settings, watch)
  }

  private static func makeScheduler(
    _ settings: ExplorationSettings, _ watch: CodeWatch, usesThreads: Bool = false
  ) -> Scheduler {
    let scheduler = Scheduler(
      stepLimit: settings.scheduleSteps, outsideWait: settings.outsideWait,
      isReducing: settings.isReducing,
      timers: settings.leavesOut.contains(.timers) ? .virtual : settings.timers,
      usesThreads: usesThreads, watch: watch)
    scheduler.leavesOut = settings.leavesOut
    return scheduler
  }

  /// The work outside the schedules, in all runs together.
  var uncontrolledWork: [UncontrolledWork] {
    var all = uncontrolled
    Self.merge(scheduler.uncontrolled, into: &all)
    return UncontrolledWork.Kind.allCases.compactMap { all[$0] }
  }

  /// What was met in all runs, beside suspension points.
  var points: PreemptionPoints { scheduler.points }

  /// A message about a program no run of which has ended.
  var cutOffDescription: String {
    let place =
      lastResumptions.lazy.compactMap { address in
        let places = CodePlaces(of: [address])
        return places.line(at: address).map { line in
          places.function(at: address).map { "\($0) (\(line))" } ?? line
        }
      }.first.map { "; the last ran \($0)" } ?? ""
    return "no schedule ended within \(settings.scheduleSteps) steps and "
      + "\(settings.timeOrNoLimit)\(place)"
  }

  /// Counts a schedule that gave different results in two runs.
  func noteUnknown() {
    uncontrolled[.unknown, default: UncontrolledWork(kind: .unknown, firstTask: nil)].count += 1
  }

  private static func merge(
    _ new: [UncontrolledWork.Kind: UncontrolledWork],
    into all: inout [UncontrolledWork.Kind: UncontrolledWork]
  ) {
    for (kind, work) in new {
      if let known = all[kind] {
        all[kind]?.count = known.count + work.count
      } else {
        all[kind] = work
      }
    }
  }

  /// Runs the program once, and again if it needs threads.
  func run(_ policy: some SchedulingPolicy, isTracing: Bool = false) -> RunOutcome {
    let outcome = runOnce(policy, isTracing: isTracing)
    guard outcome.needsThreads, !scheduler.usesThreads else { return outcome }
    scheduler.releaseWorkers()
    replaceScheduler(usingThreads: true)
    policy.restart()
    var repeated = runOnce(policy, isTracing: isTracing)
    repeated.hasNewPoints = true
    return repeated
  }

  private func runOnce(_ policy: some SchedulingPolicy, isTracing: Bool) -> RunOutcome {
    runs += 1
    scheduler.prepare(isTracing: isTracing)
    scheduler.deadline = deadline
    defer {
      program.removeAll()
      handles.removeAll(keepingCapacity: true)
    }
    let outer = Scheduler.enter(scheduler)
    do {
      // Tasks that the program creates here belong to the run.
      defer { Scheduler.enter(outer) }
      try watch { () throws in try build(&program) }
    } catch {
      abandon([])
      return RunOutcome(end: .finished, failure: Self.failure(error, task: "setup"))
    }
    for task in program.tasks { handles.append(scheduler.start(task.name, task.body)) }
    var outcome = RunOutcome(end: scheduler.run(policy))
    let count = scheduler.steps.count
    if outcome.end == .finished, scheduler.firstError == nil, !scheduler.needsThreads {
      outcome.end = runChecks(&outcome.failure)
    }
    outcome.steps = scheduler.steps.prefix(count)
    hasOpenTasks = scheduler.openRoots > 0
    if outcome.end == .cutOff {
      lastResumptions = scheduler.steps.suffix(20).reversed().map(\.resumption)
    }
    outcome.hasNewPoints = scheduler.hasNewPoints
    outcome.needsThreads = scheduler.needsThreads
    if scheduler.isLeft {
      // What would clean up may wait for a lock that the job holds.
      scheduler.retire()
      return outcome
    }
    if outcome.failure == nil {
      outcome.failure = scheduler.firstError.map { Self.failure($0.error, task: $0.task) }
    }
    if outcome.end == .deadlocked, outcome.failure == nil {
      outcome.failure = InterleavingFailure(
        kind: .deadlock, message: scheduler.deadlockDescription)
    }
    if isTracing {
      outcome.trace = ScheduleTrace(scheduler, steps: count, hasLines: true).text
    }
    if outcome.end != .finished { abandon(handles) }
    for body in program.tearDowns {
      do {
        try watch(body)
      } catch {
        if outcome.failure == nil { outcome.failure = Self.failure(error, task: "tear-down") }
      }
    }
    return outcome
  }

  /// Replaces the scheduler of a run that cannot end, and cancels the run's tasks.
  ///
  /// Suspended tasks may never end, and they hold their scheduler, so it cannot be used again.
  func abandon(_ handles: [Task<Void, Never>]) {
    let old = scheduler
    replaceScheduler(usingThreads: old.usesThreads)
    old.unwind(handles)
  }

  private func replaceScheduler(usingThreads: Bool) {
    Self.merge(scheduler.uncontrolled, into: &uncontrolled)
    let old = scheduler
    scheduler = Self.makeScheduler(settings, watch, usesThreads: usingThreads)
    scheduler.inheritExperience(of: old)
  }

  private func runChecks(
    _ failure: inout InterleavingFailure?
  ) -> Scheduler.End {
    for check in program.checks {
      switch check {
      case .synchronous(let body):
        do {
          try scheduler.withVirtualTime { () throws in try watch(body) }
        } catch {
          failure = Self.failure(error, task: "check")
          return .finished
        }
      case .asynchronous(let body):
        handles.append(scheduler.start("check", body))
        let end = scheduler.runWithoutPauses()
        if end != .finished || scheduler.firstError != nil { return end }
      }
    }
    return .finished
  }

  private static func failure(_ error: any Error, task: String) -> InterleavingFailure {
    InterleavingFailure(
      kind: .error(type: "\(type(of: error))"), message: "\(error)", error: error, task: task)
  }
}

/// Follows FIFO order; see ``Schedule``.
final class BasePolicy: SchedulingPolicy {
  func choose(in scheduler: Scheduler, base: Int) -> Int { base }

  func restart() {}
}
