import ExplorationEngine
import SystemFibers
import SystemPlatform
import SystemThreads

/// Runs tasks one job at a time, in the order that a policy chooses: on one thread, or on several of which
/// one runs at a time (``usesThreads``).
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
/// ``prepare(isTracing:)``, the owner, or to that of its workers' threads which has the baton. `enqueue`
/// puts jobs of other threads into the inbox, which has a lock.
final class Scheduler: TaskExecutor, @unchecked Sendable {
  /// A job that the policy can choose, or the rest of one that has paused.
  struct ReadyJob {
    var job: UnownedJob?
    var id: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The number of earlier steps that had to end, with nothing else ready, before the job became
    /// ready.
    var barrier: Int32
    /// The frame that called `Task.yield()` on an actor, if the job may only return there, or 0.
    var yieldingFrame: UInt = 0
    var resumption: UInt = 0
    /// The worker on whose stack the job has paused, or -1 if it has not begun.
    var worker: Int32 = -1
    /// Whether the job only takes its task to an actor.
    var arrives = false
    /// The timer that fires in place of a job, or -1.
    var timer: Int32 = -1
  }

  /// How a run ended.
  enum End: Equatable {
    case finished
    case deadlocked
    case cutOff
  }

  /// The scheduler whose job is running on the calling thread.
  static let current = ThreadLocalReference<Scheduler>()

  var stepLimit: Int
  var isUnwinding = false
  /// The number of calls of the runtime that the program has made since then.
  @exclusivity(unchecked) var callsUnwound = 0
  let outsideWait: Int64
  let layout: RuntimeLayout
  /// Whether an actor runs one waiting task in each of its turns, so that other jobs can run between
  /// two of them; see ``Turnstile``.
  let dividesTurns: Bool
  let isReducing: Bool
  /// What the exploration ignores, to show that its tests notice.
  var leavesOut: Set<PreemptionPointKind> = []
  /// Whether a pending timer may fire at any time.
  let timersRace: Bool
  /// Whether jobs can pause.
  let usesFibers: Bool
  /// Whether each worker is a thread, so that locks mean what they mean between threads.
  let usesThreads: Bool
  /// Whether the run has met a primitive that needs a thread for each job. The run must be repeated.
  @exclusivity(unchecked) var needsThreads = false
  /// Whether a job was left for good in its middle, with the locks that it holds.
  @exclusivity(unchecked) var isLeft = false
  private(set) var owner: UInt = 0

  // Only the owner thread accesses the run's state, and no access spans a call that leads back
  // here. The dynamic exclusivity checks took a quarter of the time, so they are off.
  @exclusivity(unchecked) var readyJobs = FlatList<ReadyJob>()
  /// Jobs that run no code of the program. They run at once, as part of the step that made them
  /// ready.
  @exclusivity(unchecked) var eager = FlatList<UnownedJob>()
  @exclusivity(unchecked) var jobCount: Int32 = 0
  @exclusivity(unchecked) var steps: [Step] = []
  @exclusivity(unchecked) var decisions: Int32 = 0
  @exclusivity(unchecked) var lastTask: Int32 = -1
  /// The tasks that were preempted and have not run since, in that order.
  @exclusivity(unchecked) var interrupted = FlatList<Int32>()

  @exclusivity(unchecked) var tasks = TaskTable()
  @exclusivity(unchecked) var actors = ActorTable()
  @exclusivity(unchecked) var timers = TimerQueue()
  /// The tasks that have slept, if timers race.
  @exclusivity(unchecked) var sleepers: [SleepingTask] = []
  /// The keys of the turnstiles in actors' queues; see ``Turnstile``.
  @exclusivity(unchecked) var turnstiles = FlatList<UInt>()
  /// The keys of the runtime's tasks that wake sleeping tasks.
  @exclusivity(unchecked) var helpers = FlatList<UInt>()

  /// The number of the running step, or of the last one.
  @exclusivity(unchecked) var runningStep = -1
  @exclusivity(unchecked) var runningTask: Int32 = -1
  @exclusivity(unchecked) var runsActor = false
  @exclusivity(unchecked) var runningCreator: Int32 = -1
  @exclusivity(unchecked) var runningBarrier: Int32 = 0
  /// The step that has begun and is not yet among ``steps``.
  @exclusivity(unchecked) var openStep = OpenStep()
  @exclusivity(unchecked) var isStepOpen = false
  /// The objects that the running step has accessed.
  @exclusivity(unchecked) var runningFootprint = Footprint()
  /// The tasks and actors that were first seen in the running step.
  @exclusivity(unchecked) var runningNew = Footprint()
  /// Whether the running code gets virtual time from the system's clocks.
  @exclusivity(unchecked) var readsVirtualTime = false
  /// What the run's clocks show.
  @exclusivity(unchecked) var clocks = VirtualReadings()

  // MARK: Stacks, see Scheduler+Workers

  @exclusivity(unchecked) var workers: [Fiber] = []
  /// The workers whose stack has no paused job.
  @exclusivity(unchecked) var idleWorkers = FlatList<Int32>()
  @exclusivity(unchecked) var currentWorker: Int32 = -1
  @exclusivity(unchecked) var request = WorkerRequest.end
  @exclusivity(unchecked) var isReleasingWorkers = false
  /// Jobs that wait for a lock of another paused job.
  @exclusivity(unchecked) var blocked: [BlockedJob] = []
  /// The workers of jobs whose wait has ended because of its time limit.
  @exclusivity(unchecked) var timedOutWorkers: Set<Int32> = []
  /// Whether the running code is the program's.
  @exclusivity(unchecked) private(set) var runsJob = false
  let watch: CodeWatch
  /// The time on the monotonic clock after which the run is cut off.
  var deadline = Int64.max
  /// Whether the program's code may pause where it does not have to wait.
  @exclusivity(unchecked) var allowsPauses = true
  /// Whether the running code is the program's and may pause.
  var mayPause: Bool { runsJob && allowsPauses }
  /// The explored locks that paused jobs and the running one hold.
  @exclusivity(unchecked) var heldLocks = FlatList<HeldLock>()
  /// Whether the running job pauses on its way to an actor.
  @exclusivity(unchecked) var arrives = false
  /// Whether the running step has acquired a lock.
  @exclusivity(unchecked) var hasAcquired = false
  /// The locks that the program's code has used in any run, and what is known of them.
  @exclusivity(unchecked) var lockUses = LockUses()
  /// Whether the running code acquires or releases an explored lock.
  @exclusivity(unchecked) var isInExploredLock = false
  /// Whether the running step has done something after which it could not pause.
  @exclusivity(unchecked) var hasUnseenAct = false
  /// Whether a run has met a kind of point that earlier runs did not heed.
  @exclusivity(unchecked) var hasNewPoints = false
  /// What the running task, which has left an actor, continues with on another one.
  @exclusivity(unchecked) var detouredFunction: UInt = 0
  /// Whether the run's checks are running.
  @exclusivity(unchecked) var isChecking = false
  /// Whether the running call of the runtime has paused.
  @exclusivity(unchecked) var hasPausedInCall = false
  /// Whether the next task that the engine does not know is unstructured.
  @exclusivity(unchecked) var createsUnstructured = false
  /// Whether the engine is creating a task of its own.
  @exclusivity(unchecked) var createsOwnTask = false
  /// The policy of the current run, its limit of idle steps, and why it ended.
  @exclusivity(unchecked) unowned(unsafe) var policy: (any SchedulingPolicy)?
  @exclusivity(unchecked) var idleLimit = 0
  @exclusivity(unchecked) var end: End?
  /// The kinds of points, other than suspensions, at which tasks could be preempted in any run.
  @exclusivity(unchecked) var points = PreemptionPoints()

  @exclusivity(unchecked) private(set) var rootNames: [String] = []
  @exclusivity(unchecked) private(set) var startsRoot = false
  @exclusivity(unchecked) private(set) var openRoots = 0
  @exclusivity(unchecked) private(set) var finishedRoots = FlatList<Bool>()
  /// The first error that a task threw, and the task's name.
  @exclusivity(unchecked) private(set) var firstError: (task: String, error: any Error)?

  @exclusivity(unchecked) private(set) var isTracing = false
  @exclusivity(unchecked) var notes: [(step: Int, task: Int32, text: String)] = []
  @exclusivity(unchecked) var actorNames: [Int32: String] = [:]

  let inbox = Inbox()
  /// The work that the policy could not order, in all runs of this scheduler.
  @exclusivity(unchecked) var uncontrolled: [UncontrolledWork.Kind: UncontrolledWork] = [:]
  /// The last step of the run that asked for the main executor.
  @exclusivity(unchecked) var mainActorStep: Int?
  /// Whether no job has run here since the last marker on the main actor.
  @exclusivity(unchecked) var isMainActorMarked = false
  /// The number of markers since the last step.
  @exclusivity(unchecked) var mainActorMarks = 0
  /// Observations of earlier runs of the program about work on other threads.
  @exclusivity(unchecked) var experience = OutsideExperience()

  /// What `asUnownedTaskExecutor()` returns. The run loop asks for it before every job.
  var unowned: UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

  /// ``RuntimeCall/detourFunction``.
  let detourFunction = RuntimeCall.detourFunction

  /// Creates a scheduler for any number of runs.
  ///
  /// - Parameters:
  ///   - stepLimit: The most steps of a run.
  ///   - outsideWait: The real time to wait for other threads when no job is ready.
  ///   - dividesTurns: Whether an actor runs one waiting task in each of its turns.
  ///   - isReducing: Whether jobs that run no code of the program are part of other steps.
  ///   - timers: When timers fire.
  ///   - usesFibers: Whether jobs can pause, where the platform has fibers.
  ///   - usesThreads: Whether each paused job is on a thread of its own.
  ///   - watch: What is told when code of the program runs.
  init(
    stepLimit: Int, outsideWait: Duration, dividesTurns: Bool = Turnstile.works,
    isReducing: Bool = true,
    timers order: TimerOrder = .virtual, usesFibers: Bool = true, usesThreads: Bool = false,
    watch: CodeWatch = CodeWatch()
  ) {
    self.stepLimit = stepLimit
    self.outsideWait = outsideWait.wholeNanoseconds
    self.dividesTurns = dividesTurns
    self.isReducing = isReducing
    timersRace = order == .racing
    self.watch = watch
    layout = RuntimeLayout.probed
    self.usesFibers = usesFibers && layout.isReadable && Fiber.isAvailable
    self.usesThreads = usesThreads && self.usesFibers
    steps.reserveCapacity(16)
  }

  /// Copies what another scheduler has learnt about the program.
  func inheritExperience(of other: Scheduler) {
    experience = other.experience
    points = other.points
    lockUses = other.lockUses
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
    if !sleepers.isEmpty { sleepers.removeAll() }
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
    isStepOpen = false
    if !blocked.isEmpty { blocked.removeAll() }
    if !timedOutWorkers.isEmpty { timedOutWorkers.removeAll() }
    heldLocks.removeAll()
    (hasUnseenAct, hasNewPoints) = (false, false)
    (needsThreads, isLeft) = (false, false)
    (createsUnstructured, isInExploredLock) = (false, false)
    (mainActorStep, isMainActorMarked, mainActorMarks) = (nil, false, 0)
    self.isTracing = isTracing
    EnqueueHooks.install()
    ExploredPoints.install()
    CrashedSchedule.install()
  }

  /// Notes that code of the program begins or goes on, on the calling thread.
  func enterJob() {
    runsJob = true
    readsVirtualTime = true
    watch.begin()
  }

  /// Notes that the program's code has paused or returned.
  func leaveJob() {
    runsJob = false
    readsVirtualTime = false
    watch.end()
  }

  /// Whether the calling thread runs this scheduler's jobs.
  var ownsThread: Bool {
    currentThreadID() == owner || usesThreads && Scheduler.current.value === self
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
}
