/// Virtual time, and what is to happen at which point of it.
struct TimerQueue {
  struct Timer {
    var deadline: Int64
    var job: UnownedJob?
    var wake: (() -> Void)?
  }

  /// Nanoseconds since the run's start.
  private(set) var now: Int64 = 0
  private var timers: [Timer] = []

  var isEmpty: Bool { timers.isEmpty }

  mutating func removeAll() {
    if !timers.isEmpty { timers.removeAll() }
    now = 0
  }

  /// Adds a timer that makes a job ready, or calls a closure.
  mutating func add(
    after delay: Int64, job: UnownedJob? = nil, wake: (() -> Void)? = nil
  ) {
    let deadline = now.addingReportingOverflow(max(0, delay))
    timers.append(
      Timer(
        deadline: deadline.overflow ? .max : deadline.partialValue, job: job, wake: wake))
  }

  /// Moves virtual time to the next deadline and takes out all that is due then.
  mutating func advance() -> [Timer] {
    guard let next = timers.lazy.map(\.deadline).min() else { return [] }
    now = max(now, next)
    let due = timers.filter { $0.deadline == next }
    timers.removeAll { $0.deadline == next }
    return due
  }
}
