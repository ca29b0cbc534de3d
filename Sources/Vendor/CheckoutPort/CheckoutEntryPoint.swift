/// A part of the app from which the user can buy with one tap.
public enum CheckoutEntryPoint: Hashable, Sendable {
  /// The whole cart.
  case cart

  /// One product, by its id.
  case product(id: String)

  /// The toggle that enables one-tap checkout at this entry point.
  public var toggle: FeatureToggle {
    switch self {
    case .cart: .oneTapCheckoutInCart
    case .product: .oneTapCheckoutOnProduct
    }
  }
}

/// A screen of the app.
public enum Screen: Hashable, Sendable {
  /// A screen by its name.
  case named(String)

  /// The one-tap checkout for an entry point.
  case oneTapCheckout(CheckoutEntryPoint)
}
