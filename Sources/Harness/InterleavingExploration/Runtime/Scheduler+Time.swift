import SystemFibers

extension Scheduler {
  /// Nanoseconds of virtual time since the start of the run.
  var now: Int64 { timers.now }

  /// Calls `wake` when virtual time has advanced by `delay` nanoseconds.
  func addTimer(after delay: Int64, wake: @escaping () -> Void) {
    addTimer(after: delay, job: nil, wake: wake)
  }

  private func addTimer(after delay: Int64, job: UnownedJob?, wake: (() -> Void)?) {
    points.hasTimers = true
    let sleeper = runningTask
    let timer = timers.add(after: delay, sleeper: sleeper, job: job, wake: wake)
    guard timersRace else { return }
    noteSleeper(sleeper)
    readyJobs.append(
      ReadyJob(
        job: nil, id: jobCount, task: -1, actor: -1, creator: runningCreator,
        barrier: runningBarrier, timer: timer))
    jobCount += 1
  }

  /// Fires one timer, as a step.
  func fire(_ number: Int32) {
    guard let timer = timers.fire(number) else { return }
    clocks.reach(now, at: Fiber.realNanoseconds)
    if isTracing {
      let deadline = Duration.nanoseconds(timer.deadline)
      note("the timer of \(name(ofTask: timer.sleeper)) fires, which is due at \(deadline)")
    }
    wake(timer)
  }

  private func wake(_ timer: TimerQueue.Timer) {
    if let job = timer.job {
      // The helper runs no code of the program. If the layout is unreadable, it cannot be
      // recognised and is a job like any other.
      if layout.isReadable { eager.append(job) } else { accept(job, fromHook: false) }
    }
    timer.wake?()
  }

  // MARK: - Cancellation of sleepers

  /// Remembers a task that sleeps, to see when it is cancelled.
  private func noteSleeper(_ number: Int32) {
    guard number >= 0 else { return }
    tasks[number].isSleeping = true
    guard !sleepers.contains(where: { $0.number == number }) else { return }
    withUnsafeCurrentTask { task in
      guard let task else { return }
      sleepers.append(
        SleepingTask(
          number: number, address: unsafeBitCast(task, to: UnsafeRawPointer.self),
          isCancelled: task.isCancelled))
    }
  }

  /// Records that the running step has cancelled tasks that sleep, or have slept.
  ///
  /// Most cancellations are the runtime's own: a group that throws, an `async let` that is not
  /// awaited. Whether a timer fires before one matters also where the task is not asleep when it
  /// is cancelled.
  func noteCancelledSleepers() {
    for index in sleepers.indices where !sleepers[index].isCancelled {
      let task = tasks[sleepers[index].number]
      // Any other task may have ended, and its memory may be in use for something else.
      guard task.isQueued || task.isSleeping else {
        sleepers[index].wasOutOfSight = true
        continue
      }
      if RuntimeCall.isCancelled(sleepers[index].address) {
        sleepers[index].isCancelled = true
        runningFootprint.insert(task: sleepers[index].number)
        if sleepers[index].wasOutOfSight { points.hasUnknownCancellations = true }
      }
      sleepers[index].wasOutOfSight = false
    }
  }

  /// A task that has slept in the run.
  struct SleepingTask {
    var number: Int32
    /// Valid while the task is queued or asleep.
    var address: UnsafeRawPointer
    var isCancelled: Bool
    /// Whether it has been neither since it was last seen.
    var wasOutOfSight = false
  }

  /// Enqueues a job of the runtime when virtual time has advanced.
  ///
  /// `Task.sleep` reads a clock, adds the delay, and later hands over the time that is left. Where the clock is
  /// real, the requested delay is a little longer than `delay`. Programs ask for round delays: the one with the
  /// fewest decimal places in the next 150 µs is taken.
  ///
  /// - Parameters:
  ///   - job: The runtime's helper that wakes the sleeping task.
  ///   - delay: The nanoseconds left according to the clock.
  func schedule(_ job: UnownedJob, afterAbout delay: Int64) {
    guard ownsThread else {
      inbox.put(job)
      return
    }
    if layout.isReadable { helpers.append(RuntimeJob(job: job).taskKey) }
    let clockIsVirtual = usesFibers
    let least = min(max(0, delay), .max - 150_000)
    addTimer(
      after: clockIsVirtual ? delay : Self.roundest(from: least, through: least + 150_000),
      job: job, wake: nil)
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

  // MARK: - The next deadline

  /// When the next wait with a time limit times out, or `nil`.
  var nextTimeOut: Int64? { blocked.lazy.compactMap(\.deadline).min() }

  /// Whether the next event of virtual time is none that work on another thread may prevent.
  var isNextEventTimer: Bool {
    guard let wait = nextTimeOut else { return !timers.isEmpty }
    if let timer = timers.nextDeadline, timer <= wait { return true }
    return blocked.contains { $0.deadline == wait && $0.primitive == .sleep }
  }

  /// The last deadline within a millisecond. Where virtual time has followed real time, no two deadlines are equal,
  /// so those that are near are taken for one instant.
  private func lastDeadline(near next: Int64) -> Int64 {
    let deadlines = (timersRace ? [] : timers.deadlines) + blocked.compactMap(\.deadline)
    return deadlines.filter { $0 - next <= 1_000_000 }.max() ?? next
  }

  /// Moves virtual time to the next deadline, and makes every job ready that is due then.
  ///
  /// Jobs that are due at the same instant become ready together, so that the search tries both
  /// orders.
  ///
  /// - Returns: Whether there was a deadline.
  func passTime() -> Bool {
    let timer = timersRace ? nil : timers.nextDeadline
    guard let next = [timer, nextTimeOut].compactMap({ $0 }).min() else { return false }
    leaveSteps()
    runningTask = -1
    let instant = clocks.hasFollowedRealTime ? lastDeadline(near: next) : next
    if !timersRace { for due in timers.advance(to: instant) { wake(due) } }
    timers.pass(until: instant)
    endTimedWaits(through: instant)
    clocks.reach(now, at: Fiber.realNanoseconds)
    return true
  }
}
