/// Runs a program under a policy, any number of times, on the calling thread.
final class ProgramRunner {
  /// How a run ended.
  struct Outcome {
    var end: Scheduler.End
    var failure: InterleavingFailure?
    /// The number of steps before the checks.
    var steps: Int
    var grain: Grain
    /// Whether ``Grain/joined`` may have left out orders.
    var hasBoundArrivals: Bool
    /// Whether the length of a sleep is in doubt.
    var isDisturbed = false
  }

  private let build: @Sendable (inout ConcurrentProgram) throws -> Void
  /// The program and its tasks; only their storage is kept from run to run.
  @exclusivity(unchecked) private var program = ConcurrentProgram()
  @exclusivity(unchecked) private var handles: [Task<Void, Never>] = []
  private let options: InterleavingOptions
  private(set) var scheduler: Scheduler
  /// How the next runs are divided into steps.
  var grain = Grain.fine
  private(set) var runs = 0
  private var abandonedSteps: [Scheduler.Step]?
  private var traceText = ""
  private var uncontrolled: [UncontrolledWork.Kind: UncontrolledWork] = [:]

  init(
    options: InterleavingOptions,
    build: @escaping @Sendable (inout ConcurrentProgram) throws -> Void
  ) {
    self.options = options
    self.build = build
    scheduler = Self.makeScheduler(options)
  }

  private static func makeScheduler(_ options: InterleavingOptions) -> Scheduler {
    Scheduler(
      stepLimit: options.steps, outsideWait: options.outsideWait,
      isReducing: options.isReducing)
  }

  /// The work outside the schedules, in all runs together.
  var uncontrolledWork: [UncontrolledWork] {
    var all = uncontrolled
    Self.merge(scheduler.uncontrolled, into: &all)
    return UncontrolledWork.Kind.allCases.compactMap { all[$0] }
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

  /// Runs the program once, and again while the length of a sleep is in doubt (at most 50 runs).
  func run(_ policy: some SchedulingPolicy, isTracing: Bool = false) -> Outcome {
    for _ in 1..<Self.mostAttempts {
      let outcome = runOnce(policy, isTracing: isTracing, acceptsDoubt: false)
      if !outcome.isDisturbed { return outcome }
      policy.restart()
    }
    return runOnce(policy, isTracing: isTracing, acceptsDoubt: true)
  }

  private static let mostAttempts = 50

  private func runOnce(
    _ policy: some SchedulingPolicy, isTracing: Bool, acceptsDoubt: Bool
  ) -> Outcome {
    runs += 1
    scheduler.grain = grain
    scheduler.prepare(isTracing: isTracing)
    defer {
      program.removeAll()
      handles.removeAll(keepingCapacity: true)
    }
    do {
      try build(&program)
    } catch {
      let failure = Self.failure(error, task: "setup")
      return Outcome(
        end: .finished, failure: failure, steps: 0, grain: grain, hasBoundArrivals: false)
    }
    for task in program.tasks { handles.append(scheduler.start(task.name, task.body)) }
    var end = scheduler.run(policy)
    let steps = scheduler.steps.count
    let hasBoundArrivals = scheduler.hasBoundArrivals
    var failure: InterleavingFailure?
    if end == .finished, scheduler.firstError == nil, acceptsDoubt || !scheduler.isDisturbed {
      end = runChecks(&failure)
    }
    let isDisturbed = scheduler.isDisturbed
    if failure == nil {
      failure = scheduler.firstError.map { Self.failure($0.error, task: $0.task) }
    }
    if end == .deadlocked, failure == nil {
      failure = InterleavingFailure(kind: .deadlock, message: scheduler.deadlockDescription)
    }
    if isTracing { traceText = ScheduleTrace(scheduler, steps: steps).text }
    abandonedSteps = nil
    if end != .finished {
      abandonedSteps = scheduler.steps
      abandon(handles)
    }
    return Outcome(
      end: end, failure: failure, steps: steps, grain: grain,
      hasBoundArrivals: hasBoundArrivals,
      isDisturbed: isDisturbed)
  }

  /// Replaces the scheduler of a run that cannot end, and cancels the run's tasks.
  ///
  /// Suspended tasks may never end, and they hold their scheduler, so it cannot be used again.
  func abandon(_ handles: [Task<Void, Never>]) {
    Self.merge(scheduler.uncontrolled, into: &uncontrolled)
    let old = scheduler
    scheduler = Self.makeScheduler(options)
    scheduler.inheritExperience(of: old)
    old.unwind(handles)
  }

  /// The steps of the last run, without those of the checks.
  func steps(_ outcome: Outcome) -> ArraySlice<Scheduler.Step> {
    (abandonedSteps ?? scheduler.steps).prefix(outcome.steps)
  }

  /// The digest of the last run.
  func digest(_ outcome: Outcome) -> UInt32 { Scheduler.digest(steps(outcome)) }

  /// The number of decisions of the last run.
  func decisions(_ outcome: Outcome) -> Int32 {
    steps(outcome).last { $0.decision >= 0 }.map { $0.decision + 1 } ?? 0
  }

  /// The last run's schedule.
  func lastSchedule(_ outcome: Outcome) -> Schedule {
    Schedule(
      deviations: steps(outcome).lazy.filter { $0.decision >= 0 && $0.isDeviation }
        .map { Schedule.Deviation(decision: Int($0.decision), choice: Int($0.choice)) },
      digest: digest(outcome), grain: outcome.grain)
  }

  /// The number of preemptions of the last run.
  func lastPreemptions(_ outcome: Outcome) -> Int {
    steps(outcome).lazy.filter(\.isPreemption).count
  }

  /// Runs a schedule and records its steps as text.
  func trace(_ schedule: Schedule) -> (failure: InterleavingFailure?, text: String) {
    let outcome = run(ScriptPolicy(schedule), isTracing: true)
    return (outcome.failure, traceText)
  }

  private func runChecks(
    _ failure: inout InterleavingFailure?
  ) -> Scheduler.End {
    for check in program.checks {
      switch check {
      case .synchronous(let body):
        do {
          try body()
        } catch {
          failure = Self.failure(error, task: "check")
          return .finished
        }
      case .asynchronous(let body):
        handles.append(scheduler.start("check", body))
        let end = scheduler.run(BasePolicy())
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
