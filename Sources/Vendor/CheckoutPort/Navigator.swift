/// Shows screens to the user.
///
/// Every implementation satisfies `Contract.navigator`.
public protocol Navigator: Sendable {
  /// Shows a screen on top of the current one. May be called from any thread.
  func show(_ screen: Screen)
}
