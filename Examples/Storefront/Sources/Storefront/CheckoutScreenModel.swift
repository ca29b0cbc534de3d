public import CheckoutPort

/// What the screen of a product shows about buying it.
public struct CheckoutScreenModel: Sendable {
  private let entryPoint: CheckoutEntryPoint
  private let checkout: OneTapCheckout
  private let navigator: any Navigator

  /// Makes the model of a product's screen.
  public init(product id: String, toggles: any FeatureToggles, navigator: any Navigator) {
    entryPoint = .product(id: id)
    checkout = OneTapCheckout(toggles: toggles, navigator: navigator)
    self.navigator = navigator
  }

  /// The button's title.
  public var buttonTitle: String {
    checkout.isEnabled(at: entryPoint) ? "Buy with one tap" : "Add to cart"
  }

  /// What the button does: one-tap checkout where it is offered at this moment, else the cart.
  public func buttonTapped() {
    if !checkout.present(from: entryPoint) { navigator.show(.named("cart")) }
  }
}
