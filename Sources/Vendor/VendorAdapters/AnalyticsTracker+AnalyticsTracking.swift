public import AnalyticsPort
public import VendorSDK

/// The vendor's class conforms without code, because the protocol has the signature of its method.
extension AnalyticsTracker: AnalyticsTracking {}
