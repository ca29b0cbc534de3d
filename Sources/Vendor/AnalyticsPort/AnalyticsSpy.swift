import SystemLocks

/// A tracker in memory that tells what was reported to it.
public final class AnalyticsSpy: AnalyticsTracking {
  private let log = Mutex<[AnalyticsEvent]>([])

  /// Makes a spy that nothing was reported to.
  public init() {}

  public func track(_ category: String, action: String?) {
    log.withLock { $0.append(AnalyticsEvent(category, action: action)) }
  }

  /// All that was reported, in order.
  public var events: [AnalyticsEvent] { log.withLock(\.self) }
}
