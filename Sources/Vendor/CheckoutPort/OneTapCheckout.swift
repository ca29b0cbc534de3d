/// One-tap checkout, second design: a struct with injected ports that default to the globals.
public struct OneTapCheckout: Sendable {
  private let toggles: (any FeatureToggles)?
  private let navigator: (any Navigator)?

  /// Creates a checkout. Omitted ports are the values of ``CheckoutGlobals`` at the time of the
  /// call.
  public init(
    toggles: (any FeatureToggles)? = CheckoutGlobals.toggles,
    navigator: (any Navigator)? = CheckoutGlobals.navigator
  ) {
    self.toggles = toggles
    self.navigator = navigator
  }

  /// Whether one-tap checkout is enabled at an entry point.
  public func isEnabled(at entryPoint: CheckoutEntryPoint) -> Bool {
    toggles?.isEnabled(entryPoint.toggle) ?? false
  }

  /// Shows the checkout if one-tap checkout is enabled at the time of the call.
  ///
  /// - Returns: Whether the checkout was shown.
  @discardableResult
  public func present(from entryPoint: CheckoutEntryPoint) -> Bool {
    guard isEnabled(at: entryPoint), let navigator else { return false }
    navigator.show(.oneTapCheckout(entryPoint))
    return true
  }
}
