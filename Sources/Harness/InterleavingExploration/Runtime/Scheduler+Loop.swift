import SystemFibers
import SystemPlatform

extension Scheduler {
  /// Runs jobs until every task has ended, or none can continue.
  func run(_ policy: some SchedulingPolicy) -> End {
    let outer = Scheduler.enter(self)
    defer { Scheduler.enter(outer) }
    end = nil
    idleLimit = stepLimit
    if steps.isEmpty { clocks.begin(at: Fiber.realNanoseconds) }
    if lockUses.isHidden { showLocks() }
    allowsPauses = !isUnwinding && !isChecking
    if usesFibers {
      self.policy = policy
      defer { self.policy = nil }
      runOnWorkers()
    } else {
      runSteps(policy)
    }
    return end ?? .finished
  }

  /// Runs the tasks of a check, of which one order is enough.
  func runWithoutPauses() -> End {
    isChecking = true
    defer { isChecking = false }
    return run(BasePolicy())
  }

  /// Makes a scheduler the current one of the calling thread.
  ///
  /// - Returns: The one before.
  @discardableResult
  static func enter(_ scheduler: Scheduler?) -> Scheduler? {
    let outer = current.value
    current.set(scheduler)
    RuntimeCall.setTaskExecutor(scheduler.map { $0.usesFibers ? $0 : nil } ?? nil)
    setClocks(of: scheduler)
    return outer
  }

  /// Cancels the tasks of a run that cannot end, runs them for at most 1,000 further steps, and
  /// retires.
  func unwind(_ tasks: [Task<Void, Never>]) {
    let outer = Scheduler.enter(self)
    for task in tasks { task.cancel() }
    Scheduler.enter(outer)
    isUnwinding = true
    stepLimit = steps.count + 1000
    _ = run(BasePolicy())
    releaseWorkers()
    retire()
  }

  /// Drops jobs that arrive from now on. Tasks of a run that cannot end stay suspended.
  func retire() { inbox.retire() }

  /// Runs steps until ``end`` is set.
  ///
  /// A worker may leave this function in the middle, at the call that runs a job or hands over to
  /// another worker, and go on there in another step or another run. So nothing is kept in local
  /// variables.
  func runSteps(_ policy: some SchedulingPolicy) {
    while !isReleasingWorkers {
      if isStepOpen {
        closeStep()
        policy.didRun(in: self)
      }
      guard chooseJob(policy) else { return }
      if openStep.job.worker >= 0 {
        handOver(to: openStep.job.worker)
      } else {
        runJob()
      }
    }
  }

  /// Opens a step with a job that the policy chooses, or ends the run.
  ///
  /// When no job is ready, the order of the attempts matters. Jobs of other threads come before
  /// timers: they belong to the present instant, and virtual time must not pass while they are on
  /// their way. A deadlock is reported only if jobs, other threads and timers are all exhausted.
  ///
  /// - Returns: Whether there is a step.
  private func chooseJob(_ policy: some SchedulingPolicy) -> Bool {
    while true {
      if inbox.hasJobs { absorbInbox() }
      if !eager.isEmpty {
        leaveSteps()
        runEager()
        scanActors()
      }
      if !blocked.isEmpty { releaseBlockedJobs() }
      if readyJobs.isEmpty {
        // Unstructured work that outlives the tasks may never end, such as a task that polls.
        if openRoots == 0 && idleLimit == stepLimit {
          idleLimit = min(stepLimit, steps.count + 1000)
        }
        if mayHaveUnmarkedMainActorJobs {
          guard steps.count + mainActorMarks < idleLimit else {
            end = .cutOff
            return false
          }
          markMainActor()
        }
        let isOver = openRoots == 0 && blocked.isEmpty
        if isOver && (timers.isEmpty || timersRace) && !mayWaitForOutside {
          end = .finished
          return false
        }
        if waitForOutside(beforeTimers: isNextEventTimer) { continue }
        if passTime() { continue }
        end = isOver ? .finished : .deadlocked
        return false
      }
      if !timers.isEmpty { points.hasLateTimers = true }
      guard steps.count < idleLimit, !isOverdue else {
        end = .cutOff
        return false
      }
      let base = readyJobs.count == 1 ? 0 : baseChoice()
      beginStep(policy.choose(in: self, base: base), base: base)
      return true
    }
  }

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
    guard timersRace else { return 0 }
    // As in virtual time: timers fire when nothing else is ready, in the order of their deadlines.
    for index in ready.indices where ready[index].timer < 0 { return index }
    return ready.indices.min { timers.deadline(ready[$0].timer) < timers.deadline(ready[$1].timer) }
      ?? 0
  }

  /// Whether the exploration's time is over; looked at in long runs, now and then.
  private var isOverdue: Bool { steps.count & 0xff == 0xff && monotonicNanoseconds() > deadline }

  /// Attributes the jobs that become ready from here on to no step.
  ///
  /// Timers fire and other threads are heard only when nothing is ready. So these jobs depend on
  /// every step before them, and the search must not move them in front of one.
  func leaveSteps() { (runningCreator, runningBarrier) = (-1, Int32(steps.count)) }

  private func runJob() {
    guard let job = openStep.job.job else { return fire(openStep.job.timer) }
    enterJob()
    job.runSynchronously(on: unowned)
    leaveJob()
  }

  func runEager() {
    isMainActorMarked = false
    // The runtime reads clocks for a task that sleeps.
    readsVirtualTime = true
    defer { readsVirtualTime = false }
    var index = 0
    while index < eager.count {
      let job = eager[index]
      index += 1
      job.runSynchronously(on: unowned)
    }
    eager.removeAll()
  }
}
