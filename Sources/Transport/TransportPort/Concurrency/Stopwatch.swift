/// Measures the time since its creation on any clock.
package struct Stopwatch: Sendable {
  private let read: @Sendable () -> Duration

  /// Starts the measurement.
  package init(_ clock: any Clock<Duration>) {
    read = Self.reader(clock)
  }

  /// The time since the start.
  package var elapsed: Duration { read() }

  // Opens the existential: a generic function is the only way to name the clock's instant type.
  private static func reader<Time: Clock<Duration>>(
    _ clock: Time
  ) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
