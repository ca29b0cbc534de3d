public import AnalyticsPort
public import VendorSDK

/// A tracker that hands the app's events to the vendor's SDK.
public struct VendorAnalyticsTracker: AnalyticsTracking {
  private let tracker: AnalyticsTracker

  /// Reports to one of the vendor's trackers.
  public init(_ tracker: AnalyticsTracker) { self.tracker = tracker }

  public func track(_ category: String, action: String?) {
    tracker.track(category, action: action)
  }
}
