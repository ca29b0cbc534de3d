import SystemFibers

// A job that reads a clock of the system gets virtual time: what the clock showed when the run began, and the
// virtual time that has passed since. Deadlines, lifetimes and measured durations then agree with sleeps.
//
// Virtual time passes by sleeps and time limits. It follows real time where something outside the schedule has
// taken real time, as a caller may measure it, and where a job only waits for a clock.

extension Scheduler {
  /// Gives the code of a job, or of a check, the time of a clock.
  static let clockHandler: Fiber.ClockHandler = { context, clock, systemTime, monotonic in
    let scheduler = Unmanaged<Scheduler>.fromOpaque(context).takeUnretainedValue()
    guard scheduler.readsVirtualTime else { return systemTime }
    scheduler.noteReading()
    return scheduler.clocks.read(
      clock, systemTime: systemTime, now: scheduler.now, at: monotonic)
  }

  /// Lets the time pass that a call of the system has taken.
  static let delayHandler: Fiber.DelayHandler = { context, duration in
    let scheduler = Unmanaged<Scheduler>.fromOpaque(context).takeUnretainedValue()
    // A call that returns at once takes no time, so that runs can be repeated.
    guard scheduler.readsVirtualTime, duration >= 1_000_000 else { return }
    scheduler.timers.pass(until: scheduler.timers.time(after: duration))
    scheduler.clocks.hasFollowedRealTime = true
  }

  /// The readings of one instant after which a program waits for a clock.
  private static let mostReadings = 250

  /// Called before the running code reads a clock.
  func noteReading() {
    clocks.readings += 1
    guard clocks.readings > Self.mostReadings else { return }
    // The same number of readings in every run, so that a schedule can be repeated; unless the calls between them
    // take longer.
    let doublings = min(40, clocks.readings / Self.mostReadings - 1)
    timers.pass(until: timers.time(after: 1_000 << doublings))
    passRealTime()
    points.hasClockLoops = true
  }

  /// Calls a function of the program that is no job, and that gets virtual time from the system's clocks.
  func withVirtualTime<E: Error>(_ body: () throws(E) -> Void) throws(E) {
    Fiber.setClockContext(usesFibers ? self : nil)
    readsVirtualTime = true
    defer {
      readsVirtualTime = false
      Fiber.setClockContext(Scheduler.current.value.flatMap { $0.usesFibers ? $0 : nil })
    }
    try body()
  }

  /// Makes virtual time follow the real time that has passed since the last deadline.
  func passRealTime() {
    guard usesFibers else { return }
    timers.pass(until: clocks.time(at: Fiber.realNanoseconds))
    clocks.hasFollowedRealTime = true
  }
}

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
