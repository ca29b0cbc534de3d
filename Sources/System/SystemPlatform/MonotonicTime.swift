import CPlatform

/// The monotonic clock, in nanoseconds from an arbitrary start.
///
/// Source: clock_gettime(3), `CLOCK_MONOTONIC`.
@inlinable public func monotonicNanoseconds() -> Int64 { platform_monotonic_nanoseconds() }

/// The system's clock: seconds since the beginning of 1970 without leap seconds, and nanoseconds.
///
/// Source: clock_gettime(3), `CLOCK_REALTIME`.
package func wallClock() -> (seconds: Int64, nanoseconds: Int32) {
  var seconds: Int64 = 0
  var nanoseconds: Int32 = 0
  platform_wall_clock(&seconds, &nanoseconds)
  return (seconds, nanoseconds)
}
