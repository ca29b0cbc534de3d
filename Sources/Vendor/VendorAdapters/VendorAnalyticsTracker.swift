public import AnalyticsPort
public import VendorSDK

/// A tracker that forwards events to the vendor's SDK.
///
/// Use it if the app's protocol must not be visible on the vendor's class, or if the signatures
/// differ. Otherwise the class's conformance is enough.
public struct VendorAnalyticsTracker: AnalyticsTracking {
  private let tracker: AnalyticsTracker

  /// Creates a tracker that forwards to a tracker of the vendor's.
  public init(_ tracker: AnalyticsTracker) { self.tracker = tracker }

  public func track(_ category: String, action: String?) {
    tracker.track(category, action: action)
  }
}
