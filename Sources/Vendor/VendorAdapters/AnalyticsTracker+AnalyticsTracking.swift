public import AnalyticsPort
public import VendorSDK

/// The vendor's class is a tracker as it stands: the protocol is its shadow.
extension AnalyticsTracker: AnalyticsTracking {}
