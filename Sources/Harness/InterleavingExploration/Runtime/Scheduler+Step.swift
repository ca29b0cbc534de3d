extension Scheduler {
  /// One decision and the jobs that it ran, as the search and the printed trace use it.
  struct Step {
    var job: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The number of earlier steps that had to end, with nothing else ready, before the job became
    /// ready.
    var barrier: Int32
    /// The objects accessed, by their numbers in this run.
    var footprint: Footprint
    /// The objects accessed, in a form that another run of the same prefix can be compared with.
    var sharedFootprint: Footprint
    /// The decision's number, or -1 if only one job was ready.
    var decision: Int32
    var choice: Int32
    var isDeviation: Bool
    var isPreemption: Bool
    /// The address of the function that the job resumed, or 0.
    var resumption: UInt

    /// Whether two runs of one schedule in this process agree on a step.
    static func isSame(_ one: Step, _ other: Step) -> Bool {
      one.task == other.task && one.actor == other.actor && one.choice == other.choice
        && (one.decision < 0) == (other.decision < 0) && one.resumption == other.resumption
        && one.footprint == other.footprint
    }
  }

  /// A 32-bit FNV-1a hash of the steps' order; never 0, which a schedule uses for 'unknown'.
  ///
  /// Its width is part of the text form of ``Schedule``.
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

  /// A step that has begun.
  struct OpenStep {
    /// The job that was chosen.
    var job = ReadyJob(job: nil, id: -1, task: -1, actor: -1, creator: -1, barrier: 0)
    var decision: Int32 = -1
    var choice: Int32 = 0
    var isDeviation = false
    var isPreemption = false
    /// Whether the job has paused, so that its rest is ready.
    var isPaused = false
  }

  /// Removes a job from the ready ones and begins a step with it.
  func beginStep(_ choice: Int, base: Int) {
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
    openStep = OpenStep(
      job: next, decision: decision, choice: Int32(choice), isDeviation: choice != base,
      isPreemption: isPreemption)
    isStepOpen = true
    beginJob(next)
  }

  /// Records the step that has run.
  func closeStep() {
    isStepOpen = false
    endJob(isPaused: openStep.isPaused)
    appendOpenStep()
    lastTask = openStep.job.task
  }

  private func appendOpenStep() {
    steps.append(
      Step(
        job: openStep.job.id, task: openStep.job.task, actor: openStep.job.actor,
        creator: openStep.job.creator, barrier: openStep.job.barrier,
        footprint: runningFootprint, sharedFootprint: runningFootprint.replacing(runningNew),
        decision: openStep.decision, choice: openStep.choice, isDeviation: openStep.isDeviation,
        isPreemption: openStep.isPreemption, resumption: openStep.job.resumption))
  }

  /// Records the step in which the process crashes, without reading what it may have left in
  /// disorder.
  func closeInterruptedStep() {
    guard isStepOpen else { return }
    isStepOpen = false
    appendOpenStep()
  }

  /// Records what a job accesses by running at all.
  func beginJob(_ next: ReadyJob) {
    (isMainActorMarked, mainActorMarks) = (false, 0)
    runningTask = next.task
    runsActor = next.actor >= 0
    if next.task >= 0 {
      runningFootprint.insert(task: next.task)
      tasks[next.task].isQueued = false
      tasks[next.task].lastStep = runningCreator
    }
    if next.actor >= 0 {
      if next.worker >= 0 {
        runningFootprint.insert(actor: next.actor)
      } else {
        beginTurn(of: next.actor)
      }
    } else if next.timer >= 0 {
      runningFootprint.insert(task: timers.sleeper(next.timer))
    } else if next.task < 0 {
      runningFootprint.insertEverything()
    }
    (hasUnseenAct, hasAcquired) = (false, false)
  }

  /// Records what the running job has accessed, when it has returned or paused.
  func endJob(isPaused: Bool) {
    let (task, actor) = (openStep.job.task, openStep.job.actor)
    if !eager.isEmpty { runEager() }
    if actor >= 0 { actors.setPaused(actor, isPaused) }
    // A task joins the queue of an actor that has asked for a turn, or whose job has paused,
    // without any call of `enqueue`.
    if actors.needScan { scanActors() }
    if isPaused {
      if task >= 0 { tasks[task].isQueued = true }
      runningFootprint.insertOutsideState()
      return
    }
    if timersRace { noteCancelledSleepers() }
    if openStep.job.timer >= 0 { return }
    if !hasOnlyReturned { runningFootprint.insertOutsideState() }
    noteEnd(of: task)
  }

  /// Records that a task may have ended, if it is not queued.
  private func noteEnd(of task: Int32) {
    guard task >= 0, !tasks[task].isQueued else { return }
    switch tasks[task].origin {
    case .root: break
    // Its parent can observe it: a task group returns children in the order in which they end.
    case .child: runningFootprint.insert(task: tasks[task].parent)
    // Who awaits it is unknown.
    case .unstructured: runningFootprint.insertEverything()
    }
  }

  /// Whether the running job did nothing but return a task to its actor after `Task.yield()`.
  ///
  /// If the actor's function has nothing left to do, the compiler omits the return to the actor and
  /// the job runs code of the caller. Then the task resumes with another frame, or does not wait
  /// for an actor.
  private var hasOnlyReturned: Bool {
    if openStep.job.arrives { return actors.isWaiting(openStep.job.task) }
    guard openStep.job.yieldingFrame != 0, let job = openStep.job.job,
      tasks[openStep.job.task].isQueued, RuntimeJob(job: job).frame == openStep.job.yieldingFrame
    else { return false }
    return actors.isWaiting(openStep.job.task)
  }
}
