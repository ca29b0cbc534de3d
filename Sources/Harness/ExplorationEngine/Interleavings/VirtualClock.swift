/// A clock whose time passes only when every task waits.
///
/// Under ``exploreInterleavings(_:of:)`` and ``withDeterministicTasks(seed:_:)`` a sleep costs no
/// real time and ends in the order of the deadlines. Inject it where a program takes a clock: then
/// deadlines computed from ``now`` are exact too, which they are not with `ContinuousClock`, whose
/// `now` is real. Elsewhere there is nothing to wait for, and a sleep moves the clock and returns.
public struct VirtualClock: Clock {
  /// A point in virtual time.
  public struct Instant: InstantProtocol {
    /// The virtual time since the schedule's start.
    public var offset: Duration

    /// A point in virtual time.
    ///
    /// - Parameter offset: The virtual time since the schedule's start.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// The instant later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later another instant is.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether one instant is earlier than the other.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.offset < second.offset
    }
  }

  private let idle = IdleTime()

  /// A clock at its start.
  public init() {}

  /// Virtual time.
  public var now: Instant {
    guard let scheduler = Scheduler.current.value else { return idle.now }
    return Instant(offset: .nanoseconds(scheduler.now))
  }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until virtual time has come to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to go on.
  ///   - tolerance: Not used: virtual time is exact.
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard let scheduler = Scheduler.current.value else {
      idle.advance(to: deadline)
      return
    }
    let sleeper = Sleeper()
    let delay = (deadline.offset - .nanoseconds(scheduler.now)).wholeNanoseconds
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleeper.begin(continuation, delay: delay, on: scheduler)
      }
    } onCancel: {
      sleeper.cancel()
    }
  }
}
