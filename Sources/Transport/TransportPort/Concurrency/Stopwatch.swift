/// The time since it was made, on any clock.
struct Stopwatch: Sendable {
  private let read: @Sendable () -> Duration

  /// Starts to measure.
  init(_ clock: any Clock<Duration>) {
    read = Self.reader(clock)
  }

  /// The time since the start.
  var elapsed: Duration { read() }

  private static func reader<Time: Clock<Duration>>(
    _ clock: Time
  ) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
