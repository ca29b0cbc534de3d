import SystemFibers

// A job can pause only if it runs on a stack of its own, and switching stacks for every job would
// cost as much as a short job. So the whole loop runs on such a stack, a *worker*. When a job
// pauses, its worker keeps it, and another worker goes on with the loop. When the job is chosen
// again, that worker hands over to the first one, which returns from the pause into the job, and
// from the job into the loop. A schedule without pauses thus switches stacks only at its start
// and end.

extension Scheduler {
  /// What the thread's own stack does next, when a worker has left it the thread.
  enum WorkerRequest {
    /// The run is over.
    case end
    /// The worker's job has paused: an idle worker goes on.
    case anotherWorker
    /// The worker is idle, and this one goes on with its job.
    case worker(Int32)
    /// The worker's job cannot go on, nor can the run.
    case leaves
  }

  /// A paused job that waits for a lock.
  struct BlockedJob {
    var job: ReadyJob
    /// The explored lock, or `nil` for another one.
    var lock: UnsafeRawPointer?
    /// What it waits for, if it is no explored lock.
    var primitive: Fiber.Primitive?
    /// The virtual time at which the wait times out, or `nil`.
    var deadline: Int64?
    /// Whether the lock may be free.
    var mayContinue: () -> Bool
  }

  /// Runs the loop on workers until the run is over.
  func runOnWorkers() {
    guard var worker = takeIdleWorker() else {
      runSteps(RunningPolicy())
      return
    }
    while true {
      currentWorker = worker
      _ = workers[Int(worker)].resume()
      switch request {
      case .end:
        idleWorkers.append(worker)
        return
      case .anotherWorker:
        // A job pauses only if there is one.
        guard let idle = takeIdleWorker() else { return }
        worker = idle
      case .worker(let paused):
        idleWorkers.append(worker)
        worker = paused
      case .leaves: return
      }
    }
  }

  private func takeIdleWorker() -> Int32? {
    guard hasIdleWorker() else { return nil }
    let worker = idleWorkers[idleWorkers.count - 1]
    idleWorkers.removeLast()
    return worker
  }

  /// Whether there is an idle worker; if not, one is created if the system has memory for its
  /// stack.
  private func hasIdleWorker() -> Bool {
    if !idleWorkers.isEmpty { return true }
    let body = { [unowned self] in
      if usesThreads { Scheduler.enter(self) }
      while true {
        runSteps(RunningPolicy())
        if isReleasingWorkers { return }
        request = .end
        Fiber.pauseUnchecked()
      }
    }
    guard let fiber = usesThreads ? Fiber.onThread(body) : Fiber(body) else { return false }
    idleWorkers.append(Int32(workers.count))
    workers.append(fiber)
    return true
  }

  /// Ends the idle workers, so that their stacks can be used again. Those of paused jobs are lost.
  func releaseWorkers() {
    isReleasingWorkers = true
    for worker in idleWorkers.elements { _ = workers[Int(worker)].resume() }
    isReleasingWorkers = false
    idleWorkers.removeAll()
    workers.removeAll()
  }

  /// Called on a worker without a job: continues the paused job of another one.
  func handOver(to worker: Int32) {
    request = .worker(worker)
    Fiber.pauseUnchecked()
  }

  // MARK: - Pausing

  /// Ends the running step in the middle of its job. The rest of the job is ready.
  ///
  /// - Returns: Whether it has paused.
  @discardableResult
  func pauseRunningJob() -> Bool {
    guard mayPause, let rest = leaveRunningJob() else { return false }
    readyJobs.append(rest)
    leaveWorker()
    return true
  }

  /// Ends the running step in the middle of its job, which goes on when a lock may be free.
  ///
  /// - Returns: Whether it has paused.
  func blockRunningJob(
    until mayContinue: @escaping () -> Bool, of lock: UnsafeRawPointer? = nil,
    primitive: Fiber.Primitive? = nil, limit: Int64? = nil
  ) -> Bool {
    guard let rest = leaveRunningJob() else { return false }
    blocked.append(
      BlockedJob(
        job: rest, lock: lock, primitive: primitive, deadline: limit.map(timers.time(after:)),
        mayContinue: mayContinue))
    leaveWorker()
    return true
  }

  /// The rest of the running job, or `nil` if it cannot pause.
  private func leaveRunningJob() -> ReadyJob? {
    guard runsJob, isStepOpen else { return nil }
    // The rest of a turn that is not divided would include other tasks.
    guard usesFibers, openStep.job.actor < 0 || dividesTurns else {
      points.missed += 1
      return nil
    }
    guard Fiber.canPause, hasIdleWorker() else {
      hasUnseenAct = true
      return nil
    }
    hasUnseenAct = false
    openStep.isPaused = true
    var rest = openStep.job
    rest.id = jobCount
    rest.creator = Int32(steps.count)
    rest.barrier = 0
    rest.yieldingFrame = 0
    rest.worker = currentWorker
    rest.arrives = arrives
    jobCount += 1
    return rest
  }

  /// Gives the thread to another worker until the running job is chosen again.
  private func leaveWorker() {
    leaveJob()
    request = .anotherWorker
    Fiber.pauseUnchecked()
    enterJob()
    hasPausedInCall = true
  }

  /// Makes blocked jobs ready that may continue.
  func releaseBlockedJobs() {
    var index = 0
    while index < blocked.count {
      if blocked[index].mayContinue() { releaseBlockedJob(index) } else { index += 1 }
    }
  }

  private func releaseBlockedJob(_ index: Int) {
    var job = blocked.remove(at: index).job
    // The step that released the lock has made it ready.
    job.id = jobCount
    job.creator = Int32(steps.count) - 1
    jobCount += 1
    readyJobs.append(job)
  }

  /// Pauses the running job if it has made another task ready.
  func pause(after job: UnownedJob) {
    guard let running = RuntimeCall.currentTask, !leavesOut.contains(.wakes) else { return }
    let runtime = RuntimeJob(job: job)
    switch runtime.kind {
    case .task:
      if runtime.pointer == running { return }
    case .actor:
      // The newest job is the task that has made the actor ask for a turn.
      guard let newest = RuntimeJob.newestJob(waitingFor: runtime.actor),
        RuntimeJob(job: newest).pointer != running
      else { return }
    case .resumption, .other: return
    }
    pauseRunningJob()
  }

  /// Notes that the running job is about to do something that other tasks can observe.
  ///
  /// Where an earlier act could not be followed by a pause, because the runtime held a lock or
  /// there are no fibers, an order between the two is left out.
  func noteAct() {
    if hasUnseenAct { points.missed += 1 }
  }

  // MARK: - Calls of the runtime

  /// Notes a call of the runtime by the running job, and pauses after it.
  ///
  /// - Returns: Before the creation of a task: whether it is scheduled here.
  static let noteCall: RuntimeCall.Handler = { call, isOver in
    guard let scheduler = Scheduler.current.value, let call = RuntimeCall(rawValue: call) else {
      return false
    }
    return scheduler.note(call, isOver: isOver)
  }

  /// Called before the running task goes to an actor.
  ///
  /// From another actor it takes two steps: between leaving the one and arriving at the other,
  /// other tasks may run on the first and arrive at the second. From elsewhere it pauses, if its
  /// code may have accessed state that others have: they may arrive first all the same.
  static let noteSwitch: RuntimeCall.SwitchHandler = { executor, function in
    guard let scheduler = Scheduler.current.value else { return false }
    if executor == mainExecutor { scheduler.noteMainActor() }
    guard scheduler.mayPause, scheduler.runningTask >= 0, !scheduler.leavesOut.contains(.arrivals)
    else { return false }
    guard scheduler.runsActor else {
      scheduler.pauseBeforeArrival()
      return false
    }
    guard UInt(bitPattern: scheduler.actors[scheduler.openStep.job.actor].address) != executor
    else { return false }
    scheduler.detouredFunction = function
    return true
  }

  /// The identity of the main executor, which a task may have asked for in an earlier job.
  static let mainExecutor = unsafeBitCast(
    MainActor.sharedUnownedExecutor, to: (identity: UInt, implementation: UInt).self
  ).identity

  private func pauseBeforeArrival() {
    guard isReducing, !readyJobs.isEmpty, openStep.job.yieldingFrame == 0 else {
      return
    }
    arrives = true
    pauseRunningJob()
    arrives = false
  }

  /// Whether the running task has added a cancellation handler.
  private var hasHandler: Bool {
    get { runningTask >= 0 && tasks[runningTask].hasHandler }
    set { if runningTask >= 0 { tasks[runningTask].hasHandler = newValue } }
  }

  private func note(_ call: RuntimeCall, isOver: Bool) -> Bool {
    if isUnwinding { limitUnwinding() }
    switch call {
    case .createsTask:
      if isOver { break }
      if createsOwnTask || leavesOut.contains(.unstructuredTasks) { return false }
      hasPausedInCall = false
      createsUnstructured = true
      return true
    case .draws:
      if mayPause { report(.randomness) }
      return false
    case .startsThread:
      if isOver { report(.thread) }
      return mayPause
    case .startsImmediately:
      if !isOver, mayPause { report(.immediateTask) }
      return false
    case .usesOtherExecutor:
      if !isUnwinding { report(.otherExecutor) }
      return false
    case .cancels: runningFootprint.insertEverything()
    case .addsHandler:
      // An earlier handler may have been removed in this step.
      if hasHandler { pauseRunningJob() }
      hasHandler = true
      return false
    case .readsCancellation:
      runningFootprint.insertOutsideState()
      // The task may be cancelled after its handler has been removed, which no call tells.
      if !isOver, hasHandler, !readyJobs.isEmpty { pauseRunningJob() }
    case .readsChildren, .wakes: runningFootprint.insertOutsideState()
    }
    guard mayPause else { return false }
    if !isOver {
      noteAct()
      hasPausedInCall = false
    } else if !hasPausedInCall, !readyJobs.isEmpty, !leavesOut.contains(.wakes) {
      pauseRunningJob()
    }
    return false
  }
}

/// The policy of the run on whose worker it is used.
private final class RunningPolicy: SchedulingPolicy {
  func choose(in scheduler: Scheduler, base: Int) -> Int {
    scheduler.policy?.choose(in: scheduler, base: base) ?? base
  }

  func didRun(in scheduler: Scheduler) { scheduler.policy?.didRun(in: scheduler) }

  func restart() {}
}
