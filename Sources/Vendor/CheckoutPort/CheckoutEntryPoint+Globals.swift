import SystemLocks

/// The global ports that the enum form of one-tap checkout uses.
///
/// The app sets them at launch. Tests that set them must not run concurrently.
public enum CheckoutGlobals {
  private static let state = Mutex<(toggles: (any FeatureToggles)?, navigator: (any Navigator)?)>(
    (nil, nil))

  /// The app's toggles. If `nil`, every feature is off.
  public static var toggles: (any FeatureToggles)? {
    get { state.withLock(\.toggles) }
    set { state.withLock { $0.toggles = newValue } }
  }

  /// The app's navigator. If `nil`, no screen is shown.
  public static var navigator: (any Navigator)? {
    get { state.withLock(\.navigator) }
    set { state.withLock { $0.navigator = newValue } }
  }
}

/// One-tap checkout, first design: an enum over global state.
///
/// The call is the shortest of the three designs, `CheckoutEntryPoint.cart.presentOneTap()`, but
/// tests must run one at a time.
extension CheckoutEntryPoint {
  /// Whether one-tap checkout is enabled at this entry point.
  public var isOneTapEnabled: Bool { CheckoutGlobals.toggles?.isEnabled(toggle) ?? false }

  /// Shows the checkout if one-tap checkout is enabled at the time of the call.
  ///
  /// - Returns: Whether the checkout was shown.
  @discardableResult
  public func presentOneTap() -> Bool {
    guard isOneTapEnabled, let navigator = CheckoutGlobals.navigator else { return false }
    navigator.show(.oneTapCheckout(self))
    return true
  }
}
