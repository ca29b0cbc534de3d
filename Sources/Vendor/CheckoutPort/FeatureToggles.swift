/// A feature that can be switched on and off, by the name it has in files and variables.
public enum FeatureToggle: String, Hashable, Sendable, CaseIterable, Codable {
  /// One tap buys the cart.
  case oneTapCheckoutInCart = "one-tap-checkout-in-cart"

  /// One tap buys a product.
  case oneTapCheckoutOnProduct = "one-tap-checkout-on-product"
}

/// A place that says which features are on.
///
/// Every implementation promises the clauses of `Contract.featureToggles`.
public protocol FeatureToggles: Sendable {
  /// Whether a feature is on; one that nothing is said about is off.
  func isEnabled(_ toggle: FeatureToggle) -> Bool
}

/// Toggles that can't be read; those that were read before stay as they were.
public struct FeatureTogglesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where they should have come from: a path, or the name of a variable.
  public let source: String

  /// What is wrong there.
  public let problem: String

  public var description: String { "no toggles from \(source): \(problem)" }
}
