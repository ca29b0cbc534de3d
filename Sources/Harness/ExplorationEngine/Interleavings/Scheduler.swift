/// Runs a handful of tasks on one thread and lets a policy decide which job is next.
///
/// Everything but the inbox belongs to the thread that calls ``run(_:)``; `enqueue` compares the
/// calling thread with that owner, and hands jobs of other threads over through the inbox, which
/// has a lock. That is why the class may be shared.
final class Scheduler: TaskExecutor, @unchecked Sendable {
  /// A job that waits to be chosen.
  struct ReadyJob {
    var job: UnownedJob
    var id: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The job became ready only when these first steps were over and nothing else was ready.
    var barrier: Int32
    /// The frame on an actor that this job is to take back there, or 0.
    var yieldingFrame: UInt
    var resumption: UInt
  }

  /// How a run ended.
  enum End: Equatable {
    case finished
    case deadlocked
    case cutOff
  }

  /// The scheduler whose job runs on this thread.
  static let current = ThreadLocalReference<Scheduler>()

  /// How a run is cut into steps; it may change from run to run.
  var grain: Grain
  private var stepLimit: Int
  private(set) var isUnwinding = false
  let outsideWait: Int64
  let layout: RuntimeLayout
  let canSplitActors: Bool
  let isReducing: Bool
  private(set) var owner: UInt = 0

  // The run's state is touched on one thread, and no access spans a call that leads back here: the
  // checks for that, on every access, took a quarter of the time.
  @exclusivity(unchecked) var readyJobs = FlatList<ReadyJob>()
  /// Jobs that run none of the program's code, and so belong to the step that made them ready.
  @exclusivity(unchecked) var eager = FlatList<UnownedJob>()
  @exclusivity(unchecked) var jobCount: Int32 = 0
  @exclusivity(unchecked) private(set) var steps: [Step] = []
  @exclusivity(unchecked) private(set) var decisions: Int32 = 0
  @exclusivity(unchecked) private(set) var lastTask: Int32 = -1
  /// The tasks that were interrupted and have not run since, the latest last.
  @exclusivity(unchecked) private var interrupted = FlatList<Int32>()

  @exclusivity(unchecked) var tasks = TaskTable()
  @exclusivity(unchecked) var actors = ActorTable()
  @exclusivity(unchecked) var timers = TimerQueue()
  /// Tasks of ours in actors' queues, see ``Turnstile``.
  @exclusivity(unchecked) var turnstiles = FlatList<UInt>()
  /// Tasks of the runtime that wake sleepers.
  @exclusivity(unchecked) var helpers = FlatList<UInt>()

  /// The number of the step that runs, or of the last one.
  @exclusivity(unchecked) private(set) var runningStep = -1
  @exclusivity(unchecked) var runningTask: Int32 = -1
  @exclusivity(unchecked) private(set) var runsActor = false
  @exclusivity(unchecked) private(set) var runningCreator: Int32 = -1
  @exclusivity(unchecked) private(set) var runningBarrier: Int32 = 0
  /// What the running step has touched.
  @exclusivity(unchecked) var runningFootprint = Footprint()
  /// The tasks and actors that the running step has seen first.
  @exclusivity(unchecked) var runningNew = Footprint()
  /// When the running job began, in real nanoseconds, where that is measured.
  @exclusivity(unchecked) private(set) var jobStart: Int64 = 0
  @exclusivity(unchecked) var measuresJobs = false

  @exclusivity(unchecked) private(set) var rootNames: [String] = []
  @exclusivity(unchecked) private(set) var startsRoot = false
  @exclusivity(unchecked) private(set) var openRoots = 0
  @exclusivity(unchecked) private(set) var finishedRoots = FlatList<Bool>()
  /// What a task threw first, and its name.
  @exclusivity(unchecked) private(set) var firstError: (task: String, error: any Error)?

  /// A task has been put into an actor's queue by something else than code of its own outside
  /// actors: by an actor, or by another task. Such an arrival cannot be put off, so joined turns
  /// would leave orders out.
  var hasBoundArrivals = false
  /// The system took the thread away so long that the length of a sleep is in doubt.
  var isDisturbed = false

  private(set) var isTracing = false
  var notes: [(step: Int, task: Int32, text: String)] = []
  var actorNames: [Int32: String] = [:]

  let inbox = Inbox()
  /// Work that the policy could not order, by kind, since the scheduler was made.
  var uncontrolled: [UncontrolledWork.Kind: UncontrolledWork] = [:]
  var turnsToMainActor = false
  /// What earlier runs of the program have shown about work outside.
  var experience = OutsideExperience()

  private lazy var unowned = asUnownedTaskExecutor()

  /// Makes a scheduler for any number of runs.
  ///
  /// - Parameters:
  ///   - grain: How a run is cut into steps, to begin with.
  ///   - stepLimit: How many steps a run may take.
  ///   - outsideWait: How long to wait for another thread, in real time, when nothing is ready.
  ///   - isReducing: Whether steps that run none of the program's code are merged with others.
  ///   - canSplitActors: Whether jobs can come between tasks that wait for the same actor.
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

  /// Looks at the real clock from the first job on, for a program that runs only once.
  func measureFromStart() { measuresJobs = true }

  /// Takes over what another scheduler has learnt about the program.
  func inheritExperience(of other: Scheduler) {
    experience = other.experience
    measuresJobs = other.measuresJobs
  }

  /// Forgets the run before, keeping the storage.
  func prepare(isTracing: Bool = false) {
    owner = Platform.thread
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

  /// The jobs to choose from, until the next one runs.
  var ready: UnsafeMutableBufferPointer<ReadyJob> { readyJobs.elements }

  /// Starts one of the tasks under exploration; it runs once ``run(_:)`` is called.
  ///
  /// The first error of them all is kept as ``firstError``.
  func start(
    _ name: String, _ body: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, Never> {
    let index = rootNames.count
    rootNames.append(name)
    finishedRoots.append(false)
    openRoots += 1
    startsRoot = true
    defer { startsRoot = false }
    // The runtime holds a task's executor as long as the task lasts, and so may the closure.
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

  /// Runs jobs until every task is over, or nothing can go on.
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

  /// Cancels what is left of a run that cannot end, lets it react, and retires.
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

  /// Stops taking jobs: what is left of a stuck run may stay stuck.
  func retire() { inbox.retire() }

  /// The job that runs when nobody interferes.
  ///
  /// The running task goes on; where it cannot, the task that was interrupted last; else the job
  /// that has been ready longest. That is how POSIX puts it for `SCHED_FIFO`.
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

  /// What becomes ready from here on was made ready by no step, and after all so far.
  func leaveSteps() { (runningCreator, runningBarrier) = (-1, Int32(steps.count)) }

  private func runStep(_ choice: Int, base: Int) {
    let index = Int32(steps.count)
    runningStep = Int(index)
    let next = readyJobs.remove(at: choice)
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

  /// The turn of an actor that may as well be one step with the job that asked for it.
  ///
  /// With state in actors only, a task's own code commutes with everything, so it can run just
  /// before the actor takes the task. Not so if the code made anything else ready, or if the actor
  /// was already waited for: that may have to come in between. Nor if tasks come to an actor in
  /// any other way than by such code, see ``hasBoundArrivals``.
  private func turnToJoin(_ job: ReadyJob, at index: Int32) -> ReadyJob? {
    guard job.actor < 0, job.task >= 0, tasks[job.task].origin != .unstructured,
      let turn = ready.last, turn.creator == index, turn.actor >= 0, turn.task == job.task,
      !ready.dropLast().contains(where: { $0.creator == index })
    else { return nil }
    var own = Footprint()
    own.form(task: job.task)
    own.form(actor: turn.actor)
    return own == runningFootprint ? turn : nil
  }

  private func perform(_ next: ReadyJob) {
    runningTask = next.task
    runsActor = next.actor >= 0
    if next.task >= 0 {
      runningFootprint.form(task: next.task)
      tasks[next.task].isQueued = false
      tasks[next.task].lastStep = runningCreator
      if tasks[next.task].origin == .unstructured { runningFootprint.formEverything() }
    }
    if next.actor >= 0 {
      beginTurn(of: next.actor)
    } else if next.task < 0 {
      runningFootprint.formEverything()
    }
    if measuresJobs { jobStart = Platform.nanoseconds }
    next.job.runSynchronously(on: unowned)
    if !eager.isEmpty { runEager() }
    if turnsToMainActor { markMainActor() }
    if actors.hasPending { scanActors() }
    if grain == .fine && !hasOnlyReturned(next) { runningFootprint.formOutside() }
    if next.task >= 0 && tasks[next.task].origin == .child && !tasks[next.task].isQueued {
      // The task may be over, which its parent and its siblings can see.
      runningFootprint.form(task: tasks[next.task].parent)
    }
  }

  /// Whether a job has done nothing but take a task back to its actor after `Task.yield()`.
  ///
  /// Where the actor's function has nothing left to do, the compiler leaves the way back out, and
  /// the job runs code of the caller.
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
      if measuresJobs { jobStart = Platform.nanoseconds }
      job.runSynchronously(on: unowned)
    }
    eager.removeAll()
  }

  /// Counts the running step among those that use state outside actors.
  func touchOutside() { runningFootprint.formOutside() }
}
