import SystemFibers
import SystemPlatform

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

  /// The real nanoseconds between a job's start and its sleep above which the delay is in doubt.
  private static let longestLook: Int64 = 150_000

  /// Enqueues a job of the runtime when virtual time has advanced.
  ///
  /// `Task.sleep` reads the real clock, adds the delay, and later hands over the time that is left.
  /// Real time has passed in between, so the requested delay is a little longer than `delay`.
  /// Programs ask for round delays: the one with the fewest decimal places in the possible range is
  /// taken. The range ends at `delay` plus the time since the job started; if that is above 150 µs,
  /// two different delays could become equal, so the run is repeated (``isDisturbed``).
  ///
  /// - Parameters:
  ///   - job: The runtime's helper that wakes the sleeping task.
  ///   - delay: The nanoseconds left according to the real clock.
  func schedule(_ job: UnownedJob, afterAbout delay: Int64) {
    guard ownsThread else {
      inbox.put(job)
      return
    }
    if layout.isReadable { helpers.append(RuntimeJob(job: job).taskKey) }
    let passed = measuresJobs ? monotonicNanoseconds() - jobStart : Self.longestLook
    if passed >= Self.longestLook { isDisturbed = true }
    measuresJobs = true
    addTimer(
      after: Self.roundest(from: max(0, delay), through: max(0, delay) + max(0, passed)), job: job,
      wake: nil)
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

  /// Moves virtual time to the next deadline and makes every job that is due then ready.
  ///
  /// Jobs that are due at the same instant become ready together, so that the search tries both
  /// orders.
  ///
  /// - Returns: Whether there was a timer.
  func fireTimers() -> Bool {
    guard !timers.isEmpty else { return false }
    leaveSteps()
    runningTask = -1
    for timer in timers.advance() { wake(timer) }
    return true
  }
}
