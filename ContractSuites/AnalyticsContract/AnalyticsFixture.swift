public import AnalyticsPort

/// The fixture of the analytics contract.
public struct AnalyticsFixture: Sendable {
  /// The tracker under test, without events.
  public var tracker: any AnalyticsTracking

  /// Returns the events that have arrived at the tracker's destination, in order.
  public var arrivals: @Sendable () async throws -> [AnalyticsEvent]

  /// Creates a fixture.
  public init(
    tracker: any AnalyticsTracking,
    arrivals: @escaping @Sendable () async throws -> [AnalyticsEvent]
  ) {
    self.tracker = tracker
    self.arrivals = arrivals
  }
}
