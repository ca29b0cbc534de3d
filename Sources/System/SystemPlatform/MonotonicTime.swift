import CPlatform

/// The monotonic clock, in nanoseconds from an arbitrary start.
///
/// Source: clock_gettime(3), `CLOCK_MONOTONIC`.
@inlinable public func monotonicNanoseconds() -> Int64 { platform_monotonic_nanoseconds() }
