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
    let deadline = now.addingReportingOverflow(max(0, delay))
    timers.append(
      Timer(
        deadline: deadline.overflow ? .max : deadline.partialValue, number: count,
        sleeper: sleeper, job: job, wake: wake))
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
