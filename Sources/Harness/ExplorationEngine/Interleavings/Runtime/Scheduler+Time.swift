import SystemPlatform
import SystemThreads

extension Scheduler {
  /// Nanoseconds of virtual time since the start of the run.
  var now: Int64 { timers.now }

  /// Calls `wake` when virtual time has advanced by `delay` nanoseconds.
  func addTimer(after delay: Int64, wake: @escaping () -> Void) {
    timers.add(after: delay, wake: wake)
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
    guard currentThreadID() == owner else {
      inbox.put(job)
      return
    }
    if layout.isReadable { helpers.append(RuntimeJob(job: job).taskKey) }
    let passed = measuresJobs ? monotonicNanoseconds() - jobStart : Self.longestLook
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
    for timer in timers.advance() {
      if let job = timer.job {
        // The helper runs no code of the program. If the layout is unreadable, it cannot be
        // recognised and is a job like any other.
        if layout.isReadable { eager.append(job) } else { accept(job, fromHook: false) }
      }
      timer.wake?()
    }
    return true
  }
}
