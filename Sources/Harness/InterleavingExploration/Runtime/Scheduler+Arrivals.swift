import SystemFibers

extension Scheduler {
  func enqueue(_ job: consuming ExecutorJob) {
    receive(UnownedJob(job), fromHook: false)
  }

  /// Accepts a job on the owner thread; puts it into the inbox on any other.
  func receive(_ job: UnownedJob, fromHook: Bool) {
    guard ownsThread else { return inbox.put(job) }
    if isUnwinding { limitUnwinding() }
    let count = readyJobs.count
    accept(job, fromHook: fromHook)
    // Whatever has become ready may go before the rest of the running job.
    if mayPause, readyJobs.count > count {
      noteAct()
      pause(after: job)
    }
  }

  /// Makes a job ready, or part of the running step if it runs no code of the program.
  ///
  /// - Parameters:
  ///   - job: A job that arrived on the owner thread or through the inbox.
  ///   - fromHook: Whether it was on its way to the global executor, so that its task has no
  ///     preference for this scheduler.
  func accept(_ job: UnownedJob, fromHook: Bool) {
    guard layout.isReadable else {
      if fromHook { report(.unstructuredTask) }
      appendReady(job, task: -1)
      return
    }
    let runtime = RuntimeJob(job: job)
    switch runtime.kind {
    case .task:
      acceptTask(runtime, fromHook: fromHook)
    case .actor:
      let actor = number(ofActor: runtime.actor)
      actors.expectTurn(of: actor)
      runningFootprint.insert(actor: actor)
      let head = actors.firstWaiting(for: actor)
      appendReady(job, task: head?.task ?? -1, actor: actor, resumption: head?.resumption ?? 0)
    case .resumption:
      // It makes a task ready, which then arrives by itself.
      if isReducing { eager.append(job) } else { appendReady(job, task: runningTask) }
    case .other:
      appendReady(job, task: -1)
    }
  }

  private func acceptTask(_ runtime: RuntimeJob, fromHook: Bool) {
    let key = runtime.taskKey
    var task = tasks.number(of: key)
    if task < 0 {
      // Tasks of the runtime and of the engine run no code of the program.
      if helpers.elements.contains(key) || turnstiles.elements.contains(key) {
        eager.append(runtime.job)
        return
      }
      let isFree = fromHook || createsUnstructured
      if runtime.priority != TaskPriority.medium.rawValue { points.hasPriorities = true }
      task = add(taskWithKey: key, origin: startsRoot ? .root : isFree ? .unstructured : .child)
      createsUnstructured = false
      if fromHook { report(.unstructuredTask) }
    } else {
      // To wake a task is to change its state.
      runningFootprint.insert(task: task)
      if fromHook && tasks[task].origin != .unstructured {
        // A known task that arrives here has left for another executor and is on its way back.
        report(.otherExecutor)
        tasks[task].origin = .unstructured
      }
    }
    tasks[task].isQueued = true
    tasks[task].isSleeping = false
    var resumption = runtime.resumption
    let isOnItsWay = resumption == detourFunction
    if isOnItsWay { resumption = detouredFunction }
    var yieldingFrame: UInt = 0
    if isReducing, tasks[task].origin != .unstructured {
      // The first job of a yield on an actor, see ``RuntimeLayout/yieldEntry``. The frame is kept
      // for the last one, which may be part of a step as well.
      if resumption == layout.yieldEntry {
        tasks[task].yieldingFrame = runtime.callingFrame
        eager.append(runtime.job)
        return
      }
      yieldingFrame = tasks[task].yieldingFrame
      tasks[task].yieldingFrame = 0
    }
    appendReady(runtime.job, task: task, yieldingFrame: yieldingFrame, resumption: resumption)
    if isOnItsWay { readyJobs[readyJobs.count - 1].arrives = true }
  }

  private func appendReady(
    _ job: UnownedJob, task: Int32, actor: Int32 = -1, yieldingFrame: UInt = 0,
    resumption: UInt = 0
  ) {
    readyJobs.append(
      ReadyJob(
        job: job, id: jobCount, task: task, actor: actor, creator: runningCreator,
        barrier: runningBarrier, yieldingFrame: yieldingFrame, resumption: resumption))
    jobCount += 1
  }

  private func add(taskWithKey key: UInt, origin: TaskTable.Origin) -> Int32 {
    let task = tasks.add(key, origin: origin, running: runningTask)
    runningNew.insert(task: task)
    return task
  }

  private func number(ofActor address: UnsafeRawPointer) -> Int32 {
    let known = actors.number(of: address)
    if known >= 0 { return known }
    let actor = actors.add(address)
    runningNew.insert(actor: actor)
    if isTracing {
      let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
      actorNames[actor] = "\(type(of: object))"
    }
    return actor
  }

  /// Records that an actor begins a turn, in which it runs its first waiting task, or all of them
  /// if turns are not divided.
  func beginTurn(of actor: Int32) {
    runningFootprint.insert(actor: actor)
    actors.beginTurn(of: actor)
    if dividesTurns {
      actors.removeFirstWaiting(for: actor)
    } else {
      for entry in actors.waitingTasks where entry.actor == actor {
        runningFootprint.insert(task: entry.task)
        tasks[entry.task].isQueued = false
      }
      actors.removeAllWaiting(for: actor)
    }
  }

  /// Finds the tasks that joined the queue of an actor that has asked for a turn.
  ///
  /// The runtime calls `enqueue` for an actor only when its queue was empty. Later arrivals are
  /// pushed onto the queue silently, so the queue is read after every job. No lock is needed: the
  /// explored tasks run on this thread only.
  func scanActors() {
    for index in actors.pendingActors.indices { scanQueue(of: actors.pendingActors[index]) }
    for index in actors.pausedActors.indices { scanQueue(of: actors.pausedActors[index]) }
  }

  private func scanQueue(of actor: Int32) {
    let address = actors[actor].address
    let newest = RuntimeJob.newestJob(waitingFor: address)
    let head = newest.map { unsafeBitCast($0, to: UInt.self) } ?? 0
    let seen = actors[actor].newestSeen
    guard head != seen else { return }
    runningFootprint.insert(actor: actor)
    let wasEmpty = actors.firstWaiting(for: actor) == nil
    let position = actors.waitingTasks.count
    var hasTask = false
    var next = newest
    while let job = next, unsafeBitCast(job, to: UInt.self) != seen {
      let runtime = RuntimeJob(job: job)
      if runtime.kind == .task, !turnstiles.elements.contains(runtime.taskKey) {
        var task = tasks.number(of: runtime.taskKey)
        if task < 0, runtime.priority != TaskPriority.medium.rawValue {
          points.hasPriorities = true
        }
        if task < 0 { task = add(taskWithKey: runtime.taskKey, origin: .unstructured) }
        tasks[task].isQueued = true
        tasks[task].isSleeping = false
        next = runtime.olderJob
        if actors.isWaiting(task) { continue }
        // The list goes from the newest to the oldest, so each is inserted in front of the one
        // before.
        actors.insert(
          ActorTable.Waiting(actor: actor, task: task, resumption: runtime.resumption),
          at: position)
        hasTask = true
      } else {
        next = runtime.olderJob
      }
    }
    if wasEmpty, let first = actors.firstWaiting(for: actor) {
      let ready = ready
      for job in ready.indices where ready[job].actor == actor {
        ready[job].task = first.task
        ready[job].resumption = first.resumption
      }
    }
    actors[actor].newestSeen = head
    if hasTask, dividesTurns { plantTurnstile(behindQueueOf: actor) }
  }

  /// Enqueues a turnstile on an actor and remembers its key, so that it is not taken for a task of
  /// the program.
  private func plantTurnstile(behindQueueOf actor: Int32) {
    let address = actors[actor].address
    let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    createsOwnTask = true
    if let actor = object as? any Actor { Turnstile.plant(behindQueueOf: actor) }
    createsOwnTask = false
    if let turnstile = RuntimeJob.newestJob(waitingFor: address) {
      turnstiles.append(RuntimeJob(job: turnstile).taskKey)
      actors[actor].newestSeen = unsafeBitCast(turnstile, to: UInt.self)
    }
  }
}
