/// How long to wait before a request is sent again.
public struct RetryBackoff: Sendable {
  /// No wait: right where a kept connection has died and a new one will do.
  public static let none = RetryBackoff { _ in .zero }

  /// The pause after a number of failures, which counts from 1; nothing is waited for where it is
  /// not above zero.
  public var pause: @Sendable (_ failures: Int) -> Duration

  /// A wait of any kind.
  public init(_ pause: @escaping @Sendable (_ failures: Int) -> Duration) {
    self.pause = pause
  }

  /// A wait that doubles with each failure.
  ///
  /// - Parameters:
  ///   - first: The pause after the first failure.
  ///   - longest: The pause that is never exceeded.
  ///   - share: Gives the share of each pause that is really waited for, 0 to 1. By default it is
  ///     random from a half up, so that many clients don't come back at the same moment.
  public static func doubling(
    from first: Duration, upTo longest: Duration,
    share: @escaping @Sendable () -> Double = { .random(in: 0.5...1) }
  ) -> RetryBackoff {
    RetryBackoff { failures in
      var pause = min(first, longest)
      var doublings = failures - 1
      while doublings > 0, pause > .zero, pause < longest {
        pause = pause > longest / 2 ? longest : pause * 2
        doublings -= 1
      }
      return pause * share()
    }
  }
}
