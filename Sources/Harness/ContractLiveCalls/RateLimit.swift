import SystemLocks

/// Limits how many live calls begin in any span of time. Copies of an implementation share one.
final class RateLimit: Sendable {
  /// The most calls that begin in any span of ``period``.
  let count: Int
  let period: Duration

  /// When the latest calls began, since ``start``; the earliest first.
  private let begun = Mutex<[Duration]>([])
  private let start = ContinuousClock.now

  init(_ count: Int, per period: Duration) {
    self.count = count
    self.period = period
  }

  /// Begins calls if the limit allows them.
  ///
  /// - Parameters:
  ///   - calls: The number of calls. More than ``count`` count as ``count``.
  ///   - time: The time since some start; by default the present one.
  /// - Returns: `nil` if they have begun, or how long to wait before asking again.
  func begin(_ calls: Int, at time: Duration? = nil) -> Duration? {
    begun.withLock { begun in
      let now = time ?? start.duration(to: .now)
      begun.removeAll { $0 + period <= now }
      let excess = begun.count + min(calls, count) - count
      if excess > 0 { return begun[excess - 1] + period - now }
      begun += Array(repeating: now, count: min(calls, count))
      return nil
    }
  }
}
