public import CheckoutPort

/// The model of a product's screen: the title and the action of its buy button.
public struct CheckoutScreenModel: Sendable {
  private let entryPoint: CheckoutEntryPoint
  private let checkout: OneTapCheckout
  private let navigator: any Navigator

  /// Creates the model for a product.
  public init(product id: String, toggles: any FeatureToggles, navigator: any Navigator) {
    entryPoint = .product(id: id)
    checkout = OneTapCheckout(toggles: toggles, navigator: navigator)
    self.navigator = navigator
  }

  /// The button's title.
  public var buttonTitle: String {
    checkout.isEnabled(at: entryPoint) ? "Buy with one tap" : "Add to cart"
  }

  /// Shows the one-tap checkout if it is enabled at the time of the call, otherwise the cart.
  public func buttonTapped() {
    if !checkout.present(from: entryPoint) { navigator.show(.named("cart")) }
  }
}
