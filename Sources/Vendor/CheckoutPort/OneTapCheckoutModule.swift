/// The app's side of a ``OneTapCheckoutModule``.
public protocol OneTapCheckoutDelegate: AnyObject, Sendable {
  /// Whether one-tap checkout is enabled at an entry point.
  func isOneTapEnabled(at entryPoint: CheckoutEntryPoint) -> Bool

  /// Shows the checkout.
  func showOneTapCheckout(for entryPoint: CheckoutEntryPoint)
}

/// One-tap checkout, third design: a module that leaves toggles and navigation to its delegate.
public struct OneTapCheckoutModule: Sendable {
  private weak let delegate: (any OneTapCheckoutDelegate)?

  /// Creates a module.
  ///
  /// - Parameter delegate: The app, held weakly. After its deallocation one-tap checkout is
  ///   disabled everywhere.
  public init(delegate: any OneTapCheckoutDelegate) { self.delegate = delegate }

  /// Whether one-tap checkout is enabled at an entry point.
  public func isEnabled(at entryPoint: CheckoutEntryPoint) -> Bool {
    delegate?.isOneTapEnabled(at: entryPoint) ?? false
  }

  /// Shows the checkout if one-tap checkout is enabled at the time of the call.
  ///
  /// - Returns: Whether the checkout was shown.
  @discardableResult
  public func present(from entryPoint: CheckoutEntryPoint) -> Bool {
    guard let delegate, delegate.isOneTapEnabled(at: entryPoint) else { return false }
    delegate.showOneTapCheckout(for: entryPoint)
    return true
  }
}
