/// A place that the app reports to what its user does.
///
/// The protocol is a *shadow* of the vendor's class: it has the same signature, so that the class
/// conforms by a declaration alone. Every implementation promises the clauses of
/// `AnalyticsContract`.
public protocol AnalyticsTracking: Sendable {
  /// Reports one event; callable from any thread, and in order on each.
  ///
  /// - Parameters:
  ///   - category: What kind of thing was done, passed on octet for octet.
  ///   - action: What was done, passed on octet for octet.
  func track(_ category: String, action: String?)
}

extension AnalyticsTracking {
  /// Reports an event without an action: a protocol can't declare a default argument.
  public func track(_ category: String) { track(category, action: nil) }
}
