/// The delay before a retry.
public struct RetryBackoff: Sendable {
  /// No delay; suitable for retrying only stale kept connections.
  public static let none = RetryBackoff { _ in .zero }

  /// Returns the delay after a number of failures, counted from 1.
  ///
  /// The policy does not sleep if the delay is zero or negative.
  public var pause: @Sendable (_ failures: Int) -> Duration

  /// Creates a backoff from a function of the number of failures, counted from 1.
  public init(_ pause: @escaping @Sendable (_ failures: Int) -> Duration) {
    self.pause = pause
  }

  /// Creates an exponential backoff.
  ///
  /// - Parameters:
  ///   - first: The delay after the first failure; each further failure doubles it.
  ///   - longest: The maximum delay.
  ///   - share: Returns the jitter factor of each delay, 0 to 1. By default it is random between
  ///     0.5 and 1, so that many clients do not retry at the same time.
  public static func doubling(
    from first: Duration, upTo longest: Duration,
    share: @escaping @Sendable () -> Double = { .random(in: 0.5...1) }
  ) -> RetryBackoff {
    RetryBackoff { failures in
      var pause = min(first, longest)
      var doublings = failures - 1
      // At the bounds, another turn changes nothing, and negative delays would overflow.
      while doublings > 0, pause > .zero, pause < longest {
        pause = pause > longest / 2 ? longest : pause * 2
        doublings -= 1
      }
      return pause * share()
    }
  }
}
