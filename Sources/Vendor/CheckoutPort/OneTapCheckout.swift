/// One-tap checkout, second design: a struct whose ports are injected and default to the globals.
public struct OneTapCheckout: Sendable {
  private let toggles: (any FeatureToggles)?
  private let navigator: (any Navigator)?

  /// Makes a checkout; ports that are not given are the globals of this moment.
  public init(
    toggles: (any FeatureToggles)? = CheckoutGlobals.toggles,
    navigator: (any Navigator)? = CheckoutGlobals.navigator
  ) {
    self.toggles = toggles
    self.navigator = navigator
  }

  /// Whether one tap is offered at an entry point.
  public func isEnabled(at entryPoint: CheckoutEntryPoint) -> Bool {
    toggles?.isEnabled(entryPoint.toggle) ?? false
  }

  /// Shows the checkout, if one tap is offered at this moment.
  ///
  /// - Returns: Whether it was shown.
  @discardableResult
  public func present(from entryPoint: CheckoutEntryPoint) -> Bool {
    guard isEnabled(at: entryPoint), let navigator else { return false }
    navigator.show(.oneTapCheckout(entryPoint))
    return true
  }
}
