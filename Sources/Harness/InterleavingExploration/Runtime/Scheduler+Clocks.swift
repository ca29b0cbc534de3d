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
    Self.setClocks(of: self)
    readsVirtualTime = true
    defer {
      readsVirtualTime = false
      Self.setClocks(of: Scheduler.current.value)
    }
    try body()
  }

  /// Makes the clocks of the calling thread those of a scheduler, or real.
  static func setClocks(of scheduler: Scheduler?) {
    Fiber.setClockContext(scheduler.flatMap { $0.usesFibers ? $0 : nil })
  }

  /// Makes virtual time follow the real time that has passed since the last deadline.
  func passRealTime() {
    guard usesFibers else { return }
    timers.pass(until: clocks.time(at: Fiber.realNanoseconds))
    clocks.hasFollowedRealTime = true
  }
}
