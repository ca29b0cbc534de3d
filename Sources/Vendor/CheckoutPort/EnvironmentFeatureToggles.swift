import Foundation

/// Toggles read once from environment variables.
///
/// The toggle `one-tap-checkout-in-cart` is the variable `TOGGLE_ONE_TAP_CHECKOUT_IN_CART`. `1`,
/// `true`, `yes` and `on` enable it; `0`, `false`, `no`, `off` and the empty string disable it.
/// Case does not matter. Later changes to the environment have no effect.
public struct EnvironmentFeatureToggles: FeatureToggles {
  private let enabled: Set<FeatureToggle>

  /// Reads the toggles.
  ///
  /// - Parameters:
  ///   - environment: The variables; the process environment by default.
  ///   - prefix: The prefix of the variables' names.
  /// - Throws: ``FeatureTogglesError`` if a variable has any other value.
  public init(
    _ environment: [String: String] = ProcessInfo.processInfo.environment,
    prefix: String = "TOGGLE_"
  ) throws(FeatureTogglesError) {
    var enabled: Set<FeatureToggle> = []
    for toggle in FeatureToggle.allCases {
      let name = Self.variable(for: toggle, prefix: prefix)
      switch environment[name]?.lowercased() {
      case "1", "true", "yes", "on": enabled.insert(toggle)
      case nil, "", "0", "false", "no", "off": break
      case let value?:
        throw FeatureTogglesError(
          source: name, problem: "'\(value)' is neither on nor off; use 'on' or 'off'")
      }
    }
    self.enabled = enabled
  }

  /// The name of a toggle's variable.
  private static func variable(for toggle: FeatureToggle, prefix: String) -> String {
    prefix + toggle.rawValue.uppercased().replacing("-", with: "_")
  }

  public func isEnabled(_ toggle: FeatureToggle) -> Bool { enabled.contains(toggle) }
}
