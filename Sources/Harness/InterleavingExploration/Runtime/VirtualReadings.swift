/// What the clocks of a run show.
struct VirtualReadings {
  /// The readings since virtual time last reached a deadline.
  var readings = 0
  /// Whether virtual time has followed real time in the run.
  var hasFollowedRealTime = false
  /// What each clock showed when the run began, once it is read. The numbers of the clocks that can be virtual are
  /// below 8. Source: clock_gettime(3).
  private var starts = [Int64?](repeating: nil, count: 8)
  /// The real time at which the run began.
  private var start: Int64 = 0
  /// The real and the virtual time of the last deadline, or of the run's start.
  private var deadline: (real: Int64, virtual: Int64) = (0, 0)

  /// Begins a run.
  mutating func begin(at real: Int64) {
    for index in starts.indices where starts[index] != nil { starts[index] = nil }
    start = real
    hasFollowedRealTime = false
    reach(0, at: real)
  }

  /// Notes that virtual time has reached a deadline.
  mutating func reach(_ virtual: Int64, at real: Int64) {
    deadline = (real, virtual)
    readings = 0
  }

  /// The virtual time if real time has passed since the last deadline.
  func time(at real: Int64) -> Int64 {
    let time = deadline.virtual.addingReportingOverflow(real - deadline.real)
    return time.overflow ? .max : time.partialValue
  }

  /// What a clock shows at a virtual time.
  ///
  /// It is later than what was read before the run. Until virtual time follows real time, it is behind the system's
  /// clock, so that what is read elsewhere is later than what a job has read.
  mutating func read(_ clock: Int32, systemTime: Int64, now: Int64, at real: Int64) -> Int64 {
    guard starts.indices.contains(Int(clock)) else { return systemTime }
    let atStart = starts[Int(clock)] ?? systemTime - (real - start)
    starts[Int(clock)] = atStart
    let time = atStart.addingReportingOverflow(now)
    return time.overflow ? .max : time.partialValue
  }
}
