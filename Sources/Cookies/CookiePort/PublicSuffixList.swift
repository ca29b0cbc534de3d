/// Tells which domains are public suffixes: registries under which strangers hold names.
public protocol PublicSuffixList: Sendable {
  /// Whether anybody may register names directly under `domain`.
  ///
  /// - Parameter domain: A canonical domain: lower-case A-labels without leading or trailing dot.
  func isPublicSuffix(_ domain: String) -> Bool
}
