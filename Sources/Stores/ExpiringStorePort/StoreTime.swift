import SystemPlatform

/// When values expire, in time since the beginning of 1970.
public enum StoreTime {
  /// The time of the system's clock since 1970-01-01T00:00:00Z, without leap seconds.
  @Sendable public static func system() -> Duration {
    let (seconds, nanoseconds) = wallClock()
    return .seconds(seconds) + .nanoseconds(Int64(nanoseconds))
  }

  /// The first instant without a value, or `nil` for no end. More than 30,000 years have no end: sums and components
  /// of such durations trap.
  package static func end(of lifetime: Duration?, at now: Duration) -> Duration? {
    lifetime.flatMap { $0 < .seconds(1_000_000_000_000) ? now + $0 : nil }
  }

  /// A time in nanoseconds, or the nearest that fits: 292 years.
  package static func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000))
  }
}
