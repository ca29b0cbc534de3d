import Foundation

/// Toggles in the environment, as it was when they were made.
///
/// The toggle `one-tap-checkout-in-cart` is the variable `TOGGLE_ONE_TAP_CHECKOUT_IN_CART`. On are
/// `1`, `true`, `yes` and `on`; off are `0`, `false`, `no`, `off` and the empty text, in any case.
public struct EnvironmentFeatureToggles: FeatureToggles {
  private let enabled: Set<FeatureToggle>

  /// Reads toggles from variables.
  ///
  /// - Parameters:
  ///   - environment: The variables; the process's unless others are given.
  ///   - prefix: What the variables' names begin with.
  /// - Throws: ``FeatureTogglesError`` for a variable that is neither on nor off.
  public init(
    _ environment: [String: String] = ProcessInfo.processInfo.environment,
    prefix: String = "TOGGLE_"
  ) throws(FeatureTogglesError) {
    var enabled: Set<FeatureToggle> = []
    for toggle in FeatureToggle.allCases {
      let name = prefix + toggle.rawValue.uppercased().replacing("-", with: "_")
      switch environment[name]?.lowercased() {
      case "1", "true", "yes", "on": enabled.insert(toggle)
      case nil, "", "0", "false", "no", "off": break
      case let value?:
        throw FeatureTogglesError(source: name, problem: "'\(value)' is neither on nor off")
      }
    }
    self.enabled = enabled
  }

  public func isEnabled(_ toggle: FeatureToggle) -> Bool { enabled.contains(toggle) }
}
