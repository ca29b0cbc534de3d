/// A place in the app from which a purchase is made with one tap.
public enum CheckoutEntryPoint: Hashable, Sendable {
  /// The whole cart.
  case cart

  /// One product, by its id.
  case product(id: String)

  /// The toggle that decides whether one tap is offered here.
  public var toggle: FeatureToggle {
    switch self {
    case .cart: .oneTapCheckoutInCart
    case .product: .oneTapCheckoutOnProduct
    }
  }
}

/// Something that the app shows.
public enum Screen: Hashable, Sendable {
  /// A screen of the app by its name.
  case named(String)

  /// The checkout, for what is bought at an entry point.
  case oneTapCheckout(CheckoutEntryPoint)
}
