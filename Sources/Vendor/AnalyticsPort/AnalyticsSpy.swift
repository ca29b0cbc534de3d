import SystemLocks

/// A tracker that keeps its events in memory, for tests and previews.
public final class AnalyticsSpy: AnalyticsTracking {
  private let log = Mutex<[AnalyticsEvent]>([])

  /// Creates a spy without events.
  public init() {}

  public func track(_ category: String, action: String?) {
    log.withLock { $0.append(AnalyticsEvent(category, action: action)) }
  }

  /// The tracked events, in the order of the calls.
  public var events: [AnalyticsEvent] { log.withLock(\.self) }
}
