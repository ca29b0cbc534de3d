import SystemPlatform
import SystemThreads

/// Runs tasks on one thread, one job at a time, in the order that a policy chooses.
///
/// The scheduler is the tasks' preferred executor. The runtime enqueues a job on it whenever a task
/// can resume or a default actor needs a turn; ``run(_:)`` runs them. A job is the code of one task
/// between two suspension points, or an actor's turn. A *step* is one chosen job together with the
/// jobs that run no code of the program (``eager``).
///
/// For the search, every step records a ``Footprint`` (what it accessed) and its creator (the step
/// that made it ready). Two invariants hold while a step runs: ``runningCreator`` is that step, so
/// that every job that arrives is attributed to it; and ``runningFootprint`` contains everything
/// that the step has accessed so far. A footprint may contain too much, which only makes the search
/// slower; if it lacked something, the search would leave out an order that can fail.
///
/// Unchecked, and sound: every property except the inbox belongs to the thread that called
/// ``prepare(isTracing:)``, the owner. `enqueue` compares the calling thread with the owner and
/// puts jobs of other threads into the inbox, which has a lock.
final class Scheduler: TaskExecutor, @unchecked Sendable {
  /// A job that the policy can choose.
  struct ReadyJob {
    var job: UnownedJob
    var id: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The number of earlier steps that had to end, with nothing else ready, before the job became
    /// ready.
    var barrier: Int32
    /// The frame that called `Task.yield()` on an actor, if the job may only return there, or 0.
    var yieldingFrame: UInt
    var resumption: UInt
  }

  /// How a run ended.
  enum End: Equatable {
    case finished
    case deadlocked
    case cutOff
  }

  /// The scheduler whose job is running on the calling thread.
  static let current = ThreadLocalReference<Scheduler>()

  /// How a run is divided into steps; it may change between runs.
  var grain: Grain
  private var stepLimit: Int
  private(set) var isUnwinding = false
  let outsideWait: Int64
  let layout: RuntimeLayout
  let canSplitActors: Bool
  let isReducing: Bool
  private(set) var owner: UInt = 0

  // Only the owner thread accesses the run's state, and no access spans a call that leads back
  // here. The dynamic exclusivity checks took a quarter of the time, so they are off.
  @exclusivity(unchecked) var readyJobs = FlatList<ReadyJob>()
  /// Jobs that run no code of the program. They run at once, as part of the step that made them
  /// ready.
  @exclusivity(unchecked) var eager = FlatList<UnownedJob>()
  @exclusivity(unchecked) var jobCount: Int32 = 0
  @exclusivity(unchecked) private(set) var steps: [Step] = []
  @exclusivity(unchecked) private(set) var decisions: Int32 = 0
  @exclusivity(unchecked) private(set) var lastTask: Int32 = -1
  /// The tasks that were preempted and have not run since, in that order.
  @exclusivity(unchecked) private var interrupted = FlatList<Int32>()

  @exclusivity(unchecked) var tasks = TaskTable()
  @exclusivity(unchecked) var actors = ActorTable()
  @exclusivity(unchecked) var timers = TimerQueue()
  /// The keys of the turnstiles in actors' queues; see ``Turnstile``.
  @exclusivity(unchecked) var turnstiles = FlatList<UInt>()
  /// The keys of the runtime's tasks that wake sleeping tasks.
  @exclusivity(unchecked) var helpers = FlatList<UInt>()

  /// The number of the running step, or of the last one.
  @exclusivity(unchecked) private(set) var runningStep = -1
  @exclusivity(unchecked) var runningTask: Int32 = -1
  @exclusivity(unchecked) private(set) var runsActor = false
  @exclusivity(unchecked) private(set) var runningCreator: Int32 = -1
  @exclusivity(unchecked) private(set) var runningBarrier: Int32 = 0
  /// The objects that the running step has accessed.
  @exclusivity(unchecked) var runningFootprint = Footprint()
  /// The tasks and actors that were first seen in the running step.
  @exclusivity(unchecked) var runningNew = Footprint()
  /// The start of the running job on the monotonic clock, if ``measuresJobs``.
  @exclusivity(unchecked) private(set) var jobStart: Int64 = 0
  /// Whether to read the clock before each job; only programs that sleep need it.
  @exclusivity(unchecked) var measuresJobs = false

  @exclusivity(unchecked) private(set) var rootNames: [String] = []
  @exclusivity(unchecked) private(set) var startsRoot = false
  @exclusivity(unchecked) private(set) var openRoots = 0
  @exclusivity(unchecked) private(set) var finishedRoots = FlatList<Bool>()
  /// The first error that a task threw, and the task's name.
  @exclusivity(unchecked) private(set) var firstError: (task: String, error: any Error)?

  /// Whether a task was enqueued on an actor by an actor or by another task.
  ///
  /// A task that enters an actor from its own code outside actors can do so later without any
  /// difference. These arrivals cannot be delayed, so ``Grain/joined`` would leave out orders.
  var hasBoundArrivals = false
  /// Whether the thread was preempted for so long that the length of a sleep is in doubt.
  var isDisturbed = false

  private(set) var isTracing = false
  var notes: [(step: Int, task: Int32, text: String)] = []
  var actorNames: [Int32: String] = [:]

  let inbox = Inbox()
  /// The work that the policy could not order, in all runs of this scheduler.
  var uncontrolled: [UncontrolledWork.Kind: UncontrolledWork] = [:]
  var turnsToMainActor = false
  /// Observations of earlier runs of the program about work on other threads.
  var experience = OutsideExperience()

  private lazy var unowned = asUnownedTaskExecutor()

  /// Creates a scheduler for any number of runs.
  ///
  /// - Parameters:
  ///   - grain: How the first run is divided into steps.
  ///   - stepLimit: The most steps of a run.
  ///   - outsideWait: The real time to wait for other threads when no job is ready.
  ///   - canSplitActors: Whether other jobs can run between two tasks that wait for the same actor.
  ///   - isReducing: Whether jobs that run no code of the program are part of other steps.
  init(
    grain: Grain = .fine, stepLimit: Int, outsideWait: Duration,
    canSplitActors: Bool = Turnstile.works, isReducing: Bool = true
  ) {
    self.grain = grain
    self.stepLimit = stepLimit
    self.outsideWait = outsideWait.wholeNanoseconds
    self.canSplitActors = canSplitActors
    self.isReducing = isReducing
    layout = RuntimeLayout.probed
  }

  /// Reads the real clock from the first job on, for a program that runs only once.
  func measureFromStart() { measuresJobs = true }

  /// Copies what another scheduler has learnt about the program.
  func inheritExperience(of other: Scheduler) {
    experience = other.experience
    measuresJobs = other.measuresJobs
  }

  /// Resets the scheduler for the next run, and makes the calling thread its owner. Storage is
  /// kept.
  func prepare(isTracing: Bool = false) {
    owner = currentThreadID()
    readyJobs.removeAll()
    eager.removeAll()
    steps.removeAll(keepingCapacity: true)
    interrupted.removeAll()
    tasks.removeAll()
    actors.removeAll()
    timers.removeAll()
    turnstiles.removeAll()
    helpers.removeAll()
    rootNames.removeAll(keepingCapacity: true)
    finishedRoots.removeAll()
    if !notes.isEmpty { notes.removeAll() }
    if !actorNames.isEmpty { actorNames.removeAll() }
    firstError = nil
    (runningStep, jobCount, decisions) = (-1, 0, 0)
    (lastTask, runningTask) = (-1, -1)
    (runningCreator, runningBarrier) = (-1, 0)
    openRoots = 0
    isDisturbed = false
    self.isTracing = isTracing
    EnqueueHooks.install()
  }

  /// The jobs to choose from, in the order in which they became ready. Valid until the next job
  /// runs.
  var ready: UnsafeMutableBufferPointer<ReadyJob> { readyJobs.elements }

  /// Starts a task under exploration; its first job runs in ``run(_:)``.
  ///
  /// The first error that any of them throws is kept as ``firstError``.
  func start(
    _ name: String, _ body: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, Never> {
    let index = rootNames.count
    rootNames.append(name)
    finishedRoots.append(false)
    openRoots += 1
    startsRoot = true
    defer { startsRoot = false }
    // The runtime retains a task's executor until the task ends, so the closure may as well.
    return Task(executorPreference: self, priority: .medium) {
      do {
        try await body()
        self.finish(index)
      } catch {
        self.finish(index, throwing: error)
      }
    }
  }

  private func finish(_ root: Int, throwing error: (any Error)? = nil) {
    if let error, firstError == nil { firstError = (rootNames[root], error) }
    finishedRoots[root] = true
    openRoots -= 1
  }

  /// Runs jobs until every task has ended, or none can continue.
  ///
  /// When no job is ready, the order of the attempts matters. Jobs of other threads come before
  /// timers: they belong to the present instant, and virtual time must not pass while they are on
  /// their way. A deadlock is reported only if jobs, other threads and timers are all exhausted.
  func run(_ policy: some SchedulingPolicy) -> End {
    let outer = Scheduler.current.value
    Scheduler.current.set(self)
    defer { Scheduler.current.set(outer) }
    var idleLimit = stepLimit
    while true {
      if inbox.hasJobs { absorbInbox() }
      if !eager.isEmpty {
        leaveSteps()
        runEager()
        scanActors()
      }
      if readyJobs.isEmpty {
        if openRoots == 0 && timers.isEmpty && !mayWaitForOutside { return .finished }
        // Unstructured work that outlives the tasks may never end, such as a task that polls.
        if openRoots == 0 && idleLimit == stepLimit {
          idleLimit = min(stepLimit, steps.count + 1000)
        }
        if waitForOutside(beforeTimers: !timers.isEmpty) { continue }
        if fireTimers() { continue }
        return openRoots == 0 ? .finished : .deadlocked
      }
      guard steps.count < idleLimit else { return .cutOff }
      let base = readyJobs.count == 1 ? 0 : baseChoice()
      let choice = policy.choose(in: self, base: base)
      runStep(choice, base: base)
      policy.didRun(in: self)
    }
  }

  /// Cancels the tasks of a run that cannot end, runs them for at most 1,000 further steps, and
  /// retires.
  func unwind(_ tasks: [Task<Void, Never>]) {
    let outer = Scheduler.current.value
    Scheduler.current.set(self)
    for task in tasks { task.cancel() }
    Scheduler.current.set(outer)
    isUnwinding = true
    stepLimit = steps.count + 1000
    _ = run(BasePolicy())
    retire()
  }

  /// Drops jobs that arrive from now on. Tasks of a run that cannot end stay suspended.
  func retire() { inbox.retire() }

  /// The job that runs without a deviation.
  ///
  /// The running task continues; if it cannot, the task that was preempted last; otherwise the job
  /// that has been ready longest. A preempted thread goes to the head of the queue, as under POSIX
  /// `SCHED_FIFO`. With that rule a preemption costs one deviation: the preempted task resumes
  /// without a second one.
  private func baseChoice() -> Int {
    let ready = ready
    if lastTask >= 0 {
      for index in ready.indices where ready[index].task == lastTask { return index }
    }
    while let task = interrupted.elements.last {
      for index in ready.indices where ready[index].task == task { return index }
      interrupted.removeLast()
    }
    return 0
  }

  /// Attributes the jobs that become ready from here on to no step.
  ///
  /// Timers fire and other threads are heard only when nothing is ready. So these jobs depend on
  /// every step before them, and the search must not move them in front of one.
  func leaveSteps() { (runningCreator, runningBarrier) = (-1, Int32(steps.count)) }

  private func runStep(_ choice: Int, base: Int) {
    let index = Int32(steps.count)
    runningStep = Int(index)
    let next = readyJobs.remove(at: choice)
    // Only moments with a choice have a number, so that a schedule stays valid if the program gains
    // or loses steps without one.
    var decision: Int32 = -1
    var isPreemption = false
    if !readyJobs.isEmpty {
      decision = decisions
      decisions += 1
      isPreemption =
        choice != base && lastTask >= 0 && next.task != lastTask
        && ready.contains { $0.task == lastTask }
      if isPreemption { interrupted.append(lastTask) }
    }
    (runningCreator, runningBarrier) = (index, 0)
    runningFootprint = Footprint()
    runningNew = Footprint()
    var actor = next.actor
    perform(next)
    if grain == .joined, let turn = turnToJoin(next, at: index) {
      readyJobs.removeLast()
      actor = turn.actor
      perform(turn)
    }
    steps.append(
      Step(
        job: next.id, task: next.task, actor: actor, creator: next.creator,
        barrier: next.barrier, footprint: runningFootprint,
        sharedFootprint: runningFootprint.replacing(runningNew),
        decision: decision, choice: Int32(choice),
        isDeviation: choice != base, isPreemption: isPreemption,
        resumption: next.resumption))
    lastTask = next.task
  }

  /// The actor's turn that can be one step with the job that asked for it, if there is one.
  ///
  /// If only actors share state, a task's code outside actors commutes with every other step. It
  /// can therefore run immediately before the actor's turn that it leads to, and no order is lost.
  /// That does not hold if the code made another job ready or the actor already had waiting tasks,
  /// because those may have to run in between. Nor does it hold for ``hasBoundArrivals``.
  private func turnToJoin(_ job: ReadyJob, at index: Int32) -> ReadyJob? {
    guard job.actor < 0, job.task >= 0, tasks[job.task].origin != .unstructured,
      let turn = ready.last, turn.creator == index, turn.actor >= 0, turn.task == job.task,
      !ready.dropLast().contains(where: { $0.creator == index })
    else { return nil }
    var own = Footprint()
    own.insert(task: job.task)
    own.insert(actor: turn.actor)
    return own == runningFootprint ? turn : nil
  }

  /// Runs a job and records what it accessed.

  private func perform(_ next: ReadyJob) {
    runningTask = next.task
    runsActor = next.actor >= 0
    if next.task >= 0 {
      runningFootprint.insert(task: next.task)
      tasks[next.task].isQueued = false
      tasks[next.task].lastStep = runningCreator
      // Who awaits or cancels an unstructured task is unknown.
      if tasks[next.task].origin == .unstructured { runningFootprint.insertEverything() }
    }
    if next.actor >= 0 {
      beginTurn(of: next.actor)
    } else if next.task < 0 {
      runningFootprint.insertEverything()
    }
    if measuresJobs { jobStart = monotonicNanoseconds() }
    next.job.runSynchronously(on: unowned)
    if !eager.isEmpty { runEager() }
    if turnsToMainActor { markMainActor() }
    // A task joins the queue of an actor that has asked for a turn without any call of `enqueue`.
    if actors.hasPending { scanActors() }
    if grain == .fine && !hasOnlyReturned(next) { runningFootprint.insertOutsideState() }
    if next.task >= 0 && tasks[next.task].origin == .child && !tasks[next.task].isQueued {
      // The task may have ended, which its parent can observe: a task group returns children in the
      // order in which they end.
      runningFootprint.insert(task: tasks[next.task].parent)
    }
  }

  /// Whether a job did nothing but return a task to its actor after `Task.yield()`.
  ///
  /// If the actor's function has nothing left to do, the compiler omits the return to the actor and
  /// the job runs code of the caller. Then the task resumes with another frame, or does not wait
  /// for an actor.
  private func hasOnlyReturned(_ job: ReadyJob) -> Bool {
    guard job.yieldingFrame != 0, tasks[job.task].isQueued,
      RuntimeJob(job: job.job).frame == job.yieldingFrame
    else { return false }
    return actors.isWaiting(job.task)
  }

  private func runEager() {
    var index = 0
    while index < eager.count {
      let job = eager[index]
      index += 1
      if measuresJobs { jobStart = monotonicNanoseconds() }
      job.runSynchronously(on: unowned)
    }
    eager.removeAll()
  }

  /// Records that the running step accesses state outside actors, whatever was declared.
  func accessOutsideState() { runningFootprint.insertOutsideState() }
}
