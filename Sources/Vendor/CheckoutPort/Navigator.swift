/// A way to bring screens before the user.
///
/// Every implementation promises the clauses of `Contract.navigator`.
public protocol Navigator: Sendable {
  /// Puts a screen on top of what is shown.
  func show(_ screen: Screen)
}
