import Synchronization

/// Runs a handful of tasks on one thread and lets a policy decide which job is next.
///
/// Everything but the inbox belongs to the thread that calls ``run(_:)``; `enqueue` compares the
/// calling thread with that owner, and hands jobs of other threads over through the inbox, under
/// its lock. That is why the class may be shared.
final class Scheduler: TaskExecutor, @unchecked Sendable {
  /// What the search and the printed trace know of one decision and the jobs it let run.
  struct Step {
    var job: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The job became ready only when these first steps were over and nothing else was ready.
    var barrier: Int32
    /// What was touched, in numbers of this run.
    var footprint: Footprint
    /// What was touched, in terms that can be compared with another run of the same prefix.
    var sharedFootprint: Footprint
    /// The decision's number, or -1 when only one job was ready.
    var decision: Int32
    var choice: Int32
    var isDeviation: Bool
    var isPreemption: Bool
    var resumption: UInt
  }

  /// A job that waits to be chosen.
  struct ReadyJob {
    var job: UnownedJob
    var id: Int32
    var task: Int32
    var actor: Int32
    var creator: Int32
    var barrier: Int32
    /// The frame on an actor that this job is to take back there, or 0.
    var yieldingFrame: UInt
    var resumption: UInt
  }

  enum Origin: Equatable {
    case root
    case child
    case unstructured
    case helper
  }

  struct TaskRecord {
    var key: UInt
    var origin: Origin
    var parent: Int32
    var ordinal: Int32
    var children: Int32 = 0
    var isQueued = true
    /// The frame on an actor that waits for `Task.yield()`, or 0.
    var yieldingFrame: UInt = 0
    var lastStep: Int32 = -1
  }

  struct ActorRecord {
    var address: UnsafeRawPointer
    var isPending = false
    var newestSeen: UInt = 0
  }

  /// A task in an actor's queue.
  private struct Waiting {
    var actor: Int32
    var task: Int32
    var resumption: UInt
  }

  struct Timer {
    var deadline: Int64
    var job: UnownedJob?
    var wake: (() -> Void)?
    var id: Int
  }

  enum End: Equatable {
    case finished
    case deadlocked
    case cutOff
  }

  /// The scheduler whose job runs on this thread.
  static let current = ThreadLocalReference<Scheduler>()

  /// How a run is cut into steps; it may change from run to run.
  var grain: Grain
  private(set) var stepLimit: Int
  private var isUnwinding = false
  let outsideWait: Int64
  private let layout: RuntimeLayout
  private let canSplitActors: Bool
  private let isReducing: Bool

  /// A task has been put into an actor's queue by something else than code of its own outside
  /// actors: by an actor, or by another task. Such an arrival cannot be put off, so joined turns
  /// would leave orders out.
  private(set) var hasBoundArrivals = false
  /// The system took the thread away so long that the length of a sleep is in doubt.
  private(set) var isDisturbed = false
  private(set) var owner: UInt = 0

  // The run's state is touched on one thread, and no access spans a call that leads back here: the
  // checks for that, on every access, took a quarter of the time.
  @exclusivity(unchecked) private var readyJobs = FlatList<ReadyJob>()
  @exclusivity(unchecked) private var eager = FlatList<UnownedJob>()
  @exclusivity(unchecked) private(set) var steps: [Step] = []
  /// The number of the step that runs, or of the last one.
  @exclusivity(unchecked) private var runningStep = -1
  @exclusivity(unchecked) private var tasks = FlatList<TaskRecord>()
  @exclusivity(unchecked) private var actors = FlatList<ActorRecord>()
  @exclusivity(unchecked) private var pendingActors = FlatList<Int32>()
  @exclusivity(unchecked) private var waiting = FlatList<Waiting>()
  @exclusivity(unchecked) private var turnstiles = FlatList<UInt>()
  @exclusivity(unchecked) private var helpers = FlatList<UInt>()
  @exclusivity(unchecked) private var timers: [Timer] = []
  private var timerCount = 0
  @exclusivity(unchecked) private var jobCount: Int32 = 0
  @exclusivity(unchecked) private(set) var decisions: Int32 = 0
  @exclusivity(unchecked) private(set) var now: Int64 = 0
  @exclusivity(unchecked) private(set) var lastTask: Int32 = -1

  @exclusivity(unchecked) private var interrupted = FlatList<Int32>()

  @exclusivity(unchecked) private var runningTask: Int32 = -1
  @exclusivity(unchecked) private var runsActor = false
  @exclusivity(unchecked) private var runningCreator: Int32 = -1
  @exclusivity(unchecked) private var runningBarrier: Int32 = 0
  @exclusivity(unchecked) private var runningFootprint = Footprint()
  @exclusivity(unchecked) private var runningNew = Footprint()
  @exclusivity(unchecked) private var jobStart: Int64 = 0
  @exclusivity(unchecked) private var measuresJobs = false

  @exclusivity(unchecked) private var rootNames: [String] = []
  @exclusivity(unchecked) private var startsRoot = false
  @exclusivity(unchecked) private(set) var openRoots = 0
  @exclusivity(unchecked) private var finishedRoots = FlatList<Bool>()
  /// What a task threw first, and its name.
  @exclusivity(unchecked) private(set) var firstError: (task: String, error: any Error)?

  private(set) var isTracing = false
  private(set) var notes: [(step: Int, task: Int32, text: String)] = []
  private(set) var actorNames: [Int32: String] = [:]

  private var turnsToMainActor = false

  /// Work that the policy could not order, by kind, since the scheduler was made.
  private(set) var uncontrolled: [UncontrolledWork.Kind: UncontrolledWork] = [:]
  private var waitedInVain = false
  private var hasForeign = false

  private let monitor = Monitor()
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var outstanding = 0
    var isRetired = false
  }
  private var inbox = Inbox()
  /// Whether the inbox holds jobs; a look at it costs less than the lock.
  private let hasMail = Atomic(false)

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

  /// Takes over what another scheduler has learnt about waiting for outside work.
  func inheritExperience(of other: Scheduler) {
    waitedInVain = other.waitedInVain
    hasForeign = other.hasForeign
    measuresJobs = other.measuresJobs
  }

  // MARK: A run

  /// Forgets the run before, keeping the storage.
  func prepare(isTracing: Bool = false) {
    owner = Platform.thread
    readyJobs.removeAll()
    eager.removeAll()
    steps.removeAll(keepingCapacity: true)
    tasks.removeAll()
    actors.removeAll()
    pendingActors.removeAll()
    waiting.removeAll()
    turnstiles.removeAll()
    helpers.removeAll()
    interrupted.removeAll()
    rootNames.removeAll(keepingCapacity: true)
    finishedRoots.removeAll()
    if !timers.isEmpty { timers.removeAll() }
    if !notes.isEmpty { notes.removeAll() }
    if !actorNames.isEmpty { actorNames.removeAll() }
    firstError = nil
    runningStep = -1
    (timerCount, jobCount, decisions, now) = (0, 0, 0, 0)
    (lastTask, runningTask, runningCreator, runningBarrier) = (-1, -1, -1, 0)
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
      if hasMail.load(ordering: .relaxed) { absorbInbox() }
      if !eager.isEmpty {
        (runningCreator, runningBarrier) = (-1, Int32(steps.count))
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
  func retire() {
    monitor.withLock { inbox.isRetired = true }
  }

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
    guard job.actor < 0, job.task >= 0, tasks[Int(job.task)].origin != .unstructured,
      let turn = ready.last, turn.creator == index, turn.actor >= 0, turn.task == job.task,
      !ready.dropLast().contains(where: { $0.creator == index })
    else { return nil }
    var own = Footprint()
    own.form(object: job.task * 2)
    own.form(object: turn.actor * 2 + 1)
    return own == runningFootprint ? turn : nil
  }

  private func perform(_ next: ReadyJob) {
    runningTask = next.task
    runsActor = next.actor >= 0
    if next.task >= 0 {
      touch(task: next.task)
      tasks[Int(next.task)].isQueued = false
      tasks[Int(next.task)].lastStep = runningCreator
      if tasks[Int(next.task)].origin == .unstructured { runningFootprint.formEverything() }
    }
    if next.actor >= 0 {
      touch(actor: next.actor)
      let actor = Int(next.actor)
      actors[actor].isPending = false
      actors[actor].newestSeen = 0
      pendingActors.removeAll { $0 == next.actor }
      if canSplitActors, grain == .fine {
        if let first = waiting.elements.firstIndex(where: { $0.actor == next.actor }) {
          waiting.remove(at: first)
        }
      } else {
        for entry in waiting.elements where entry.actor == next.actor { touch(task: entry.task) }
        waiting.removeAll { $0.actor == next.actor }
      }
    } else if next.task < 0 {
      runningFootprint.formEverything()
    }
    if measuresJobs { jobStart = Platform.nanoseconds }
    next.job.runSynchronously(on: unowned)
    if !eager.isEmpty { runEager() }
    if turnsToMainActor { markMainActor() }
    if !pendingActors.isEmpty { scanActors() }
    if grain == .fine && !hasOnlyReturned(next) { runningFootprint.formOutside() }
    if next.task >= 0 && tasks[Int(next.task)].origin == .child
      && !tasks[Int(next.task)].isQueued
    {
      // The task may be over, which its parent and its siblings can see.
      touch(task: tasks[Int(next.task)].parent)
    }
  }

  /// Whether a job has done nothing but take a task back to its actor after `Task.yield()`.
  ///
  /// Where the actor's function has nothing left to do, the compiler leaves the way back out, and
  /// the job runs code of the caller.
  private func hasOnlyReturned(_ job: ReadyJob) -> Bool {
    guard job.yieldingFrame != 0, tasks[Int(job.task)].isQueued,
      RuntimeJob(job: job.job).frame == job.yieldingFrame
    else { return false }
    return waiting.elements.contains { $0.task == job.task }
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

  // MARK: Footprints

  private func touch(task: Int32) { runningFootprint.form(object: task * 2) }
  private func touch(actor: Int32) { runningFootprint.form(object: actor * 2 + 1) }

  /// Counts the running step among those that use state outside actors.
  func touchOutside() { runningFootprint.formOutside() }

  // MARK: Jobs that arrive

  func enqueue(_ job: consuming ExecutorJob) {
    receive(UnownedJob(job), fromHook: false)
  }

  /// Takes a job, from any thread.
  func receive(_ job: UnownedJob, fromHook: Bool) {
    if Platform.thread == owner {
      accept(job, fromHook: fromHook)
    } else {
      monitor.withLock {
        guard !inbox.isRetired else { return }
        inbox.jobs.append(job)
        hasMail.store(true, ordering: .relaxed)
        monitor.signal()
      }
    }
  }

  private func accept(_ job: UnownedJob, fromHook: Bool) {
    guard layout.isReadable else {
      if fromHook { report(.unstructuredTask) }
      appendReady(job, task: -1, actor: -1, yieldingFrame: 0, resumption: 0)
      return
    }
    let runtime = RuntimeJob(job: job)
    switch runtime.kind {
    case .task:
      acceptTask(runtime, fromHook: fromHook)
    case .actor:
      let actor = number(ofActor: runtime.actor)
      actors[Int(actor)].isPending = true
      actors[Int(actor)].newestSeen = 0
      pendingActors.append(actor)
      touch(actor: actor)
      let head = waiting.elements.first { $0.actor == actor }
      appendReady(
        job, task: head?.task ?? -1, actor: actor, yieldingFrame: 0,
        resumption: head?.resumption ?? 0)
    case .resumption:
      if isReducing {
        eager.append(job)
      } else {
        appendReady(job, task: runningTask, actor: -1, yieldingFrame: 0, resumption: 0)
      }
    case .other:
      appendReady(job, task: -1, actor: -1, yieldingFrame: 0, resumption: 0)
    }
  }

  private func acceptTask(_ runtime: RuntimeJob, fromHook: Bool) {
    let key = runtime.taskKey
    var task = number(ofTask: key)
    if task < 0 {
      if helpers.elements.contains(key) || turnstiles.elements.contains(key) {
        eager.append(runtime.job)
        return
      }
      let origin: Origin = startsRoot ? .root : fromHook ? .unstructured : .child
      task = register(taskWithKey: key, origin: origin)
      if fromHook { report(.unstructuredTask) }
    } else if fromHook && tasks[Int(task)].origin != .unstructured {
      report(.otherExecutor)
      tasks[Int(task)].origin = .unstructured
    }
    tasks[Int(task)].isQueued = true
    let resumption = runtime.resumption
    var yieldingFrame: UInt = 0
    if isReducing, tasks[Int(task)].origin != .unstructured {
      if resumption == layout.yieldEntry {
        tasks[Int(task)].yieldingFrame = runtime.callingFrame
        eager.append(runtime.job)
        return
      }
      yieldingFrame = tasks[Int(task)].yieldingFrame
      tasks[Int(task)].yieldingFrame = 0
    }
    appendReady(
      runtime.job, task: task, actor: -1, yieldingFrame: yieldingFrame, resumption: resumption)
  }

  private func appendReady(
    _ job: UnownedJob, task: Int32, actor: Int32, yieldingFrame: UInt, resumption: UInt
  ) {
    readyJobs.append(
      ReadyJob(
        job: job, id: jobCount, task: task, actor: actor, creator: runningCreator,
        barrier: runningBarrier, yieldingFrame: yieldingFrame, resumption: resumption))
    jobCount += 1
  }

  private func number(ofTask key: UInt) -> Int32 {
    let tasks = tasks.elements
    var index = tasks.count - 1
    while index >= 0 {
      if tasks[index].key == key { return Int32(index) }
      index -= 1
    }
    return -1
  }

  private func register(taskWithKey key: UInt, origin: Origin) -> Int32 {
    let number = Int32(tasks.count)
    var ordinal = number
    let parent = origin == .root ? -1 : runningTask
    if parent >= 0 {
      tasks[Int(parent)].children += 1
      ordinal = tasks[Int(parent)].children
    }
    tasks.append(TaskRecord(key: key, origin: origin, parent: parent, ordinal: ordinal))
    runningNew.form(object: number * 2)
    return number
  }

  private func number(ofActor address: UnsafeRawPointer) -> Int32 {
    for index in 0..<actors.count where actors[index].address == address { return Int32(index) }
    let number = Int32(actors.count)
    actors.append(ActorRecord(address: address))
    runningNew.form(object: number * 2 + 1)
    if isTracing {
      let actor = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
      actorNames[number] = "\(type(of: actor))"
    }
    return number
  }

  /// Looks for tasks that joined the queue of an actor whose turn is still to come.
  private func scanActors() {
    var index = 0
    while index < pendingActors.count {
      let actor = Int(pendingActors[index])
      index += 1
      let newest = RuntimeJob.newestJob(waitingFor: actors[actor].address)
      let head = newest.map { unsafeBitCast($0, to: UInt.self) } ?? 0
      guard head != actors[actor].newestSeen else { continue }
      touch(actor: Int32(actor))
      let wasEmpty = !waiting.elements.contains { $0.actor == Int32(actor) }
      let position = waiting.count
      var hasTask = false
      var next = newest
      while let job = next, unsafeBitCast(job, to: UInt.self) != actors[actor].newestSeen {
        let runtime = RuntimeJob(job: job)
        if runtime.kind == .task, !turnstiles.elements.contains(runtime.taskKey) {
          var task = number(ofTask: runtime.taskKey)
          if task < 0 { task = register(taskWithKey: runtime.taskKey, origin: .unstructured) }
          tasks[Int(task)].isQueued = true
          if runsActor || task != runningTask { hasBoundArrivals = true }
          waiting.insert(
            Waiting(actor: Int32(actor), task: task, resumption: runtime.resumption), at: position)
          hasTask = true
        }
        next = runtime.olderJob
      }
      if wasEmpty, let first = waiting.elements.first(where: { $0.actor == Int32(actor) }) {
        for job in ready.indices where ready[job].actor == Int32(actor) {
          ready[job].task = first.task
          ready[job].resumption = first.resumption
        }
      }
      actors[actor].newestSeen = head
      if hasTask, canSplitActors, grain == .fine {
        Turnstile.plant(behindQueueAt: actors[actor].address)
        if let turnstile = RuntimeJob.newestJob(waitingFor: actors[actor].address) {
          turnstiles.append(RuntimeJob(job: turnstile).taskKey)
          actors[actor].newestSeen = unsafeBitCast(turnstile, to: UInt.self)
        }
      }
    }
  }

  // MARK: Time

  /// Real nanoseconds between a job's start and its sleep that make the sleep's length doubtful.
  private static let longestLook: Int64 = 150_000

  /// Keeps a job of the runtime until virtual time has gone on.
  ///
  /// - Parameters:
  ///   - job: The helper that wakes the sleeping task.
  ///   - delay: What the real clock says is left. Between the task's look at the clock and now,
  ///     real time has passed, so the delay asked for is the roundest one in between.
  func schedule(_ job: UnownedJob, afterAbout delay: Int64) {
    guard Platform.thread == owner else {
      monitor.withLock {
        guard !inbox.isRetired else { return }
        inbox.jobs.append(job)
        hasMail.store(true, ordering: .relaxed)
        monitor.signal()
      }
      return
    }
    if layout.isReadable { helpers.append(RuntimeJob(job: job).taskKey) }
    let passed = measuresJobs ? Platform.nanoseconds - jobStart : Self.longestLook
    if passed >= Self.longestLook { isDisturbed = true }
    measuresJobs = true
    let rounded = Self.roundest(from: max(0, delay), through: max(0, delay) + max(0, passed))
    addTimer(after: rounded, job: job, wake: nil)
  }

  /// The number with the fewest decimal places in a range.
  static func roundest(from low: Int64, through high: Int64) -> Int64 {
    var unit: Int64 = 1_000_000_000_000_000_000
    while unit > 1 {
      let multiple = high / unit * unit
      if multiple >= low && multiple > 0 { return multiple }
      unit /= 10
    }
    return high
  }

  /// Calls `wake` when virtual time has gone on by `delay` nanoseconds.
  ///
  /// - Returns: A number for ``cancelTimer(_:)``.
  @discardableResult
  func addTimer(after delay: Int64, job: UnownedJob?, wake: (() -> Void)?) -> Int {
    timerCount += 1
    let deadline = now.addingReportingOverflow(max(0, delay))
    timers.append(
      Timer(
        deadline: deadline.overflow ? .max : deadline.partialValue, job: job, wake: wake,
        id: timerCount))
    return timerCount
  }

  /// Drops a timer, returning what it would have called.
  func cancelTimer(_ id: Int) -> (() -> Void)? {
    guard let index = timers.firstIndex(where: { $0.id == id }) else { return nil }
    return timers.remove(at: index).wake
  }

  /// Moves virtual time to the next deadline and makes everything due then ready, in one go.
  private func fireTimers() -> Bool {
    guard let next = timers.lazy.map(\.deadline).min() else { return false }
    now = max(now, next)
    (runningCreator, runningBarrier) = (-1, Int32(steps.count))
    runningTask = -1
    let due = timers.filter { $0.deadline == next }
    timers.removeAll { $0.deadline == next }
    for timer in due {
      if let job = timer.job {
        // Where the layout cannot be read, the runtime's helper is a job like any other.
        if layout.isReadable { eager.append(job) } else { accept(job, fromHook: false) }
      }
      timer.wake?()
    }
    return true
  }

  // MARK: Outside work

  /// Notes work that leaves the scheduler's control, in the words of the report.
  func report(_ kind: UncontrolledWork.Kind) {
    let task = runningTask >= 0 ? name(ofTask: runningTask) : nil
    uncontrolled[kind, default: UncontrolledWork(kind: kind, firstTask: task)].count += 1
  }

  /// The running job asks for the main actor, most likely to put a task there.
  func noteMainActor() { turnsToMainActor = true }

  /// Waits until the main actor has come past what the running job has put there.
  ///
  /// Its executor is first in, first out: once it comes to the marker, the job has run.
  private func markMainActor() {
    report(.mainActor)
    monitor.withLock { inbox.outstanding += 1 }
    Task { @MainActor in
      self.monitor.withLock {
        self.inbox.outstanding -= 1
        self.monitor.signal()
      }
    }
    turnsToMainActor = false
  }

  private var mayWaitForOutside: Bool {
    if monitor.withLock({ inbox.outstanding > 0 || !inbox.jobs.isEmpty }) { return true }
    return !waitedInVain && tasks.elements.contains { $0.origin == .unstructured }
  }

  private func absorbInbox() {
    let jobs = monitor.withLock {
      let jobs = inbox.jobs
      inbox.jobs.removeAll()
      hasMail.store(false, ordering: .relaxed)
      return jobs
    }
    guard !jobs.isEmpty else { return }
    (runningCreator, runningBarrier) = (-1, Int32(steps.count))
    for job in jobs {
      var isHelper = false
      if layout.isReadable {
        let runtime = RuntimeJob(job: job)
        isHelper = runtime.kind == .task && helpers.elements.contains(runtime.taskKey)
        if runtime.kind == .task {
          runningTask = number(ofTask: runtime.taskKey)
        }
      }
      if !isHelper {
        hasForeign = true
        report(.otherThread)
      }
      runningTask = -1
      accept(job, fromHook: false)
    }
  }

  /// Waits for another thread to make a job ready.
  ///
  /// - Returns: Whether one did.
  private func waitForOutside(beforeTimers: Bool) -> Bool {
    if isUnwinding { return false }
    let outstanding = monitor.withLock { inbox.outstanding > 0 }
    let limit: Int64
    if outstanding {
      limit = outsideWait
    } else if beforeTimers {
      guard hasForeign, openRoots > 0 else { return false }
      limit = min(outsideWait, 20_000_000)
    } else if openRoots > 0 {
      limit = waitedInVain && !hasForeign ? min(outsideWait, 2_000_000) : outsideWait
    } else {
      limit = waitedInVain ? 0 : min(outsideWait, 100_000_000)
    }
    let deadline = Platform.nanoseconds + limit
    let arrived = monitor.withLock {
      while inbox.jobs.isEmpty {
        if outstanding && inbox.outstanding == 0 { return true }
        let left = deadline - Platform.nanoseconds
        guard left > 0 else { return false }
        monitor.wait(nanoseconds: min(left, 500_000_000))
      }
      return true
    }
    if !arrived && !beforeTimers { waitedInVain = true }
    return arrived
  }

  // MARK: Names

  /// A task's name by creation order: a given one, or its parent's with a number.
  func name(ofTask task: Int32) -> String {
    guard 0..<tasks.count ~= Int(task) else { return "?" }
    let record = tasks[Int(task)]
    if record.origin == .root {
      return rootNames.indices.contains(Int(record.ordinal))
        ? rootNames[Int(record.ordinal)] : "task \(record.ordinal + 1)"
    }
    guard record.parent >= 0 else { return "task \(task + 1)" }
    return "\(name(ofTask: record.parent)).\(record.ordinal)"
  }

  /// Adds a line to the trace at the running step.
  func note(_ text: String) {
    guard isTracing, Platform.thread == owner else { return }
    notes.append((runningStep, runningTask, text))
  }

  /// A digest of the order of the first steps; never 0.
  static func digest(_ steps: ArraySlice<Step>) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    func mix(_ value: Int32) { hash = (hash ^ UInt32(bitPattern: value)) &* 16_777_619 }
    for step in steps {
      mix(step.task)
      mix(step.actor)
      mix(step.decision < 0 ? -1 : step.choice)
    }
    return max(1, hash)
  }

  /// Who waits, when nothing can go on.
  ///
  /// The runtime does not say whether a child task that has stopped is over, so both are named.
  var deadlockDescription: String {
    var lines = waitingTasks.map { task in
      let record = tasks[Int(task)]
      guard record.lastStep >= 0 else { return "\(name(ofTask: task)) has not started" }
      let function = FunctionName.of(steps[Int(record.lastStep)].resumption)
      let place = function.map { " in or after \($0)" } ?? ""
      return "\(name(ofTask: task)) waits since step \(record.lastStep + 1)\(place)"
    }
    let children = (0..<tasks.count).filter { tasks[$0].origin != .root && !tasks[$0].isQueued }
    if !children.isEmpty {
      let names = children.prefix(10).map { index in
        "\(name(ofTask: Int32(index))) since step \(tasks[index].lastStep + 1)"
      }
      let more = children.count > 10 ? ", and \(children.count - 10) more" : ""
      lines.append("waiting or over: " + names.joined(separator: ", ") + more)
    }
    return "Deadlock: " + lines.joined(separator: "; ")
      + ". No job is ready, no timer runs, and no other thread has work for them."
  }

  /// The tasks that are neither over nor ready, as far as the runtime shows.
  var waitingTasks: [Int32] {
    (0..<tasks.count).filter { index in
      let record = tasks[index]
      guard record.origin == .root else { return false }
      return 0..<finishedRoots.count ~= Int(record.ordinal)
        && !finishedRoots[Int(record.ordinal)]
    }.map { Int32($0) }
  }
}
