/// A run's virtual time and its pending timers.
struct TimerQueue {
  /// A job to make ready, or a closure to call, at a deadline.
  struct Timer {
    var deadline: Int64
    var job: UnownedJob?
    var wake: (() -> Void)?
  }

  /// Nanoseconds since the start of the run.
  private(set) var now: Int64 = 0
  private var timers: [Timer] = []

  var isEmpty: Bool { timers.isEmpty }

  /// Removes all timers and sets the time to 0.
  mutating func removeAll() {
    if !timers.isEmpty { timers.removeAll() }
    now = 0
  }

  /// Adds a timer that makes a job ready or calls a closure.
  ///
  /// - Parameter delay: Nanoseconds from now; a negative delay counts as 0.
  mutating func add(
    after delay: Int64, job: UnownedJob? = nil, wake: (() -> Void)? = nil
  ) {
    let deadline = now.addingReportingOverflow(max(0, delay))
    timers.append(
      Timer(
        deadline: deadline.overflow ? .max : deadline.partialValue, job: job, wake: wake))
  }

  /// Moves virtual time to the earliest deadline and removes every timer that is due then.
  ///
  /// - Returns: The due timers in the order in which they were added; none if there is no timer.
  mutating func advance() -> [Timer] {
    guard let next = timers.lazy.map(\.deadline).min() else { return [] }
    now = max(now, next)
    let due = timers.filter { $0.deadline == next }
    timers.removeAll { $0.deadline == next }
    return due
  }
}
