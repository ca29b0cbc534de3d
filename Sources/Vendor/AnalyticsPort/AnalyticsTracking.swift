/// Tracks what the user does in the app.
///
/// The protocol *shadows* the vendor's class: its requirement has the signature of the class's
/// method, so an empty extension makes the class conform. Every implementation satisfies
/// `Contract.analytics`.
public protocol AnalyticsTracking: Sendable {
  /// Tracks one event.
  ///
  /// The method may be called from any thread. Events from the same thread arrive in the order of
  /// the calls, and their strings arrive with unchanged UTF-8 bytes.
  ///
  /// - Parameters:
  ///   - category: The group of user actions that the event belongs to.
  ///   - action: What the user did, or `nil` if the category says enough.
  func track(_ category: String, action: String?)
}

extension AnalyticsTracking {
  /// Tracks an event without an action. A protocol requirement cannot have a default argument.
  public func track(_ category: String) { track(category, action: nil) }
}
