internal import ExplorationEngine

/// A clock whose time advances only when every task waits.
///
/// Under ``exploreInterleavings(_:of:)`` and `withDeterministicTasks(seed:_:)`, sleeps take no
/// real time and end in the order of their deadlines. Where explorations observe the runtime, `ContinuousClock`
/// and `SuspendingClock` do the same. Elsewhere their `now` is real, and deadlines that are computed from it are
/// not exact: inject this clock where a program takes one. Outside those functions, a sleep advances the clock and
/// returns at once.
public struct VirtualClock: Clock {
  /// A point in virtual time.
  public struct Instant: InstantProtocol {
    /// The virtual time since the schedule's start.
    public var offset: Duration

    /// Creates a point in virtual time.
    ///
    /// - Parameter offset: The virtual time since the schedule's start.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// The instant later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// The duration from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether the first instant is earlier than the second.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.offset < second.offset
    }
  }

  private let idle = IdleTime()

  /// Creates a clock at its start.
  public init() {}

  /// The current virtual time.
  public var now: Instant {
    guard let scheduler = Scheduler.current.value else { return idle.now }
    scheduler.noteReading()
    return Instant(offset: .nanoseconds(scheduler.now))
  }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends the task until virtual time reaches a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The time at which the task resumes.
  ///   - tolerance: Ignored: virtual time is exact.
  /// - Throws: `CancellationError` if the task is cancelled before the deadline.
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
