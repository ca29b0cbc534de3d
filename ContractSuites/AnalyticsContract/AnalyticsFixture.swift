public import AnalyticsPort

/// What a clause about trackers works with.
public struct AnalyticsFixture: Sendable {
  /// The tracker under test, to which nothing was reported yet.
  public var tracker: any AnalyticsTracking

  /// All that has arrived where the tracker reports to, in order.
  public var arrivals: @Sendable () async throws -> [AnalyticsEvent]

  /// Puts a fixture together.
  public init(
    tracker: any AnalyticsTracking,
    arrivals: @escaping @Sendable () async throws -> [AnalyticsEvent]
  ) {
    self.tracker = tracker
    self.arrivals = arrivals
  }
}
