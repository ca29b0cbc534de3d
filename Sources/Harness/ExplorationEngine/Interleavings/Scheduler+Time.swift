extension Scheduler {
  /// Nanoseconds of virtual time since the run's start.
  var now: Int64 { timers.now }

  /// Calls `wake` when virtual time has gone on by `delay` nanoseconds.
  func addTimer(after delay: Int64, wake: @escaping () -> Void) {
    timers.add(after: delay, wake: wake)
  }

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
      inbox.put(job)
      return
    }
    if layout.isReadable { helpers.append(RuntimeJob(job: job).taskKey) }
    let passed = measuresJobs ? Platform.nanoseconds - jobStart : Self.longestLook
    if passed >= Self.longestLook { isDisturbed = true }
    measuresJobs = true
    timers.add(
      after: Self.roundest(from: max(0, delay), through: max(0, delay) + max(0, passed)), job: job)
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

  /// Moves virtual time to the next deadline and makes everything due then ready, in one go.
  ///
  /// - Returns: Whether there was a deadline.
  func fireTimers() -> Bool {
    guard !timers.isEmpty else { return false }
    leaveSteps()
    runningTask = -1
    for timer in timers.advance() {
      if let job = timer.job {
        // Where the layout cannot be read, the runtime's helper is a job like any other.
        if layout.isReadable { eager.append(job) } else { accept(job, fromHook: false) }
      }
      timer.wake?()
    }
    return true
  }
}
