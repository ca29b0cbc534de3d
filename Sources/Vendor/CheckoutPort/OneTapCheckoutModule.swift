/// What a checkout module asks of the app around it.
public protocol OneTapCheckoutDelegate: AnyObject, Sendable {
  /// Whether one tap is offered at an entry point.
  func isOneTapEnabled(at entryPoint: CheckoutEntryPoint) -> Bool

  /// Shows the checkout.
  func showOneTapCheckout(for entryPoint: CheckoutEntryPoint)
}

/// One-tap checkout, third design: a module that knows neither toggles nor navigation and asks.
public struct OneTapCheckoutModule: Sendable {
  private weak let delegate: (any OneTapCheckoutDelegate)?

  /// Makes a module.
  ///
  /// - Parameter delegate: The app; held weakly, and once it is gone one tap is offered nowhere.
  public init(delegate: any OneTapCheckoutDelegate) { self.delegate = delegate }

  /// Whether one tap is offered at an entry point.
  public func isEnabled(at entryPoint: CheckoutEntryPoint) -> Bool {
    delegate?.isOneTapEnabled(at: entryPoint) ?? false
  }

  /// Shows the checkout, if one tap is offered at this moment.
  ///
  /// - Returns: Whether it was shown.
  @discardableResult
  public func present(from entryPoint: CheckoutEntryPoint) -> Bool {
    guard let delegate, delegate.isOneTapEnabled(at: entryPoint) else { return false }
    delegate.showOneTapCheckout(for: entryPoint)
    return true
  }
}
