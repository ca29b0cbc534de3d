/// A list of public suffixes: domains such as `co.uk` under which different parties register names.
public protocol PublicSuffixList: Sendable {
  /// Whether a domain is a public suffix.
  ///
  /// - Parameter domain: A canonical domain: lower-case A-labels without leading or trailing dot.
  func isPublicSuffix(_ domain: String) -> Bool
}
