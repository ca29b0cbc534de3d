/// A run's virtual time and its pending timers.
struct TimerQueue {
  /// A job to make ready, or a closure to call, at a deadline.
  struct Timer {
    var deadline: Int64
    /// The timer's number in the run, and that of the task that waits for it, or -1.
    var number: Int32
    var sleeper: Int32
    var job: UnownedJob?
    var wake: (() -> Void)?
  }

  /// Nanoseconds since the start of the run.
  private(set) var now: Int64 = 0
  private var timers: [Timer] = []
  private var count: Int32 = 0

  var isEmpty: Bool { timers.isEmpty }

  /// The earliest deadline, or `nil` if there is no timer.
  var nextDeadline: Int64? { timers.lazy.map(\.deadline).min() }

  /// The deadlines of all timers.
  var deadlines: [Int64] { timers.map(\.deadline) }

  /// Moves virtual time forward, not back.
  mutating func pass(until time: Int64) { now = max(now, time) }

  /// The time after a delay from now; a negative delay counts as 0.
  func time(after delay: Int64) -> Int64 {
    let time = now.addingReportingOverflow(max(0, delay))
    return time.overflow ? .max : time.partialValue
  }

  /// Removes all timers and sets the time to 0.
  mutating func removeAll() {
    if !timers.isEmpty { timers.removeAll() }
    now = 0
    count = 0
  }

  /// Adds a timer that makes a job ready or calls a closure.
  ///
  /// - Parameters:
  ///   - delay: Nanoseconds from now; a negative delay counts as 0.
  ///   - sleeper: The task that waits for the timer, or -1.
  /// - Returns: The timer's number.
  @discardableResult
  mutating func add(
    after delay: Int64, sleeper: Int32, job: UnownedJob? = nil, wake: (() -> Void)? = nil
  ) -> Int32 {
    timers.append(
      Timer(
        deadline: time(after: delay), number: count, sleeper: sleeper, job: job, wake: wake))
    count += 1
    return count - 1
  }

  func deadline(_ number: Int32) -> Int64 {
    timers.first { $0.number == number }?.deadline ?? .max
  }

  /// The task that waits for a timer, or -1.
  func sleeper(_ number: Int32) -> Int32 { timers.first { $0.number == number }?.sleeper ?? -1 }

  /// Removes a timer, and moves virtual time to its deadline if that is later.
  mutating func fire(_ number: Int32) -> Timer? {
    guard let index = timers.firstIndex(where: { $0.number == number }) else { return nil }
    now = max(now, timers[index].deadline)
    return timers.remove(at: index)
  }

  /// Moves virtual time to an instant and removes every timer that is due then.
  ///
  /// - Returns: The due timers in the order in which they were added.
  mutating func advance(to instant: Int64) -> [Timer] {
    pass(until: instant)
    let due = timers.filter { $0.deadline <= instant }
    if !due.isEmpty { timers.removeAll { $0.deadline <= instant } }
    return due
  }
}
