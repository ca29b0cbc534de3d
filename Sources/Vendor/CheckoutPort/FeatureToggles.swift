/// A feature that can be turned on and off. Its raw value is its name in files.
public enum FeatureToggle: String, Hashable, Sendable, CaseIterable, Codable {
  /// One-tap checkout of the cart.
  case oneTapCheckoutInCart = "one-tap-checkout-in-cart"

  /// One-tap checkout of a product.
  case oneTapCheckoutOnProduct = "one-tap-checkout-on-product"
}

/// Tells which features are on.
///
/// Every implementation satisfies `Contract.featureToggles`.
public protocol FeatureToggles: Sendable {
  /// Whether a feature is on. A feature without a setting is off.
  func isEnabled(_ toggle: FeatureToggle) -> Bool
}

/// Toggles could not be read. Toggles that were read earlier keep their values.
public struct FeatureTogglesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or the name of the environment variable.
  public let source: String

  /// What is wrong with the source.
  public let problem: String

  /// Creates an error for a source.
  public init(source: String, problem: String) {
    self.source = source
    self.problem = problem
  }

  public var description: String { "cannot read feature toggles from \(source): \(problem)" }
}
