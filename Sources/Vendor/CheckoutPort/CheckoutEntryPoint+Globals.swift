import SystemLocks

/// What the enum's form of one-tap checkout asks; set once, when the app starts.
public enum CheckoutGlobals {
  private static let state = Mutex<(toggles: (any FeatureToggles)?, navigator: (any Navigator)?)>(
    (nil, nil))

  /// The app's toggles; without them, every feature is off.
  public static var toggles: (any FeatureToggles)? {
    get { state.withLock(\.toggles) }
    set { state.withLock { $0.toggles = newValue } }
  }

  /// The app's navigator; without it, nothing is shown.
  public static var navigator: (any Navigator)? {
    get { state.withLock(\.navigator) }
    set { state.withLock { $0.navigator = newValue } }
  }
}

/// One-tap checkout, first design: an enum over global state.
///
/// The shortest call, `CheckoutEntryPoint.cart.presentOneTap()`, and one test at a time.
extension CheckoutEntryPoint {
  /// Whether one tap is offered here.
  public var isOneTapEnabled: Bool { CheckoutGlobals.toggles?.isEnabled(toggle) ?? false }

  /// Shows the checkout, if one tap is offered at this moment.
  ///
  /// - Returns: Whether it was shown.
  @discardableResult
  public func presentOneTap() -> Bool {
    guard isOneTapEnabled, let navigator = CheckoutGlobals.navigator else { return false }
    navigator.show(.oneTapCheckout(self))
    return true
  }
}
