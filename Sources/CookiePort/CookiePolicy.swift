import Foundation

/// The rules that a store goes by: profile, limits, trust and the public-suffix list.
public struct CookiePolicy: Sendable {
  /// Which specification decides where the two differ.
  public var profile: Profile

  /// How many cookies are kept.
  public var limits: Limits

  /// Whether `http://localhost` and loopback addresses count as secure.
  public var trustsLocalhost: Bool

  /// The list that says which domains are nobody's own.
  public var publicSuffixes: any PublicSuffixList

  /// A specification of cookies.
  public enum Profile: String, Sendable, Hashable, CaseIterable {
    /// RFC 6265 (2011): no SameSite, no prefixes, no size limits, no 400-day cap.
    case rfc6265
    /// draft-ietf-httpbis-rfc6265bis-22.
    case rfc6265bis
  }

  /// How many cookies are kept before some are evicted.
  public struct Limits: Sendable, Hashable {
    /// For one domain; at least 50 by RFC 6265bis §6.1.
    public var perDomain: Int

    /// In total; at least 3,000 by RFC 6265bis §6.1.
    public var total: Int
  }
}

/// Tells which domains are public suffixes: registries under which strangers hold names.
public protocol PublicSuffixList: Sendable {
  /// Whether anybody may register names directly under `domain`.
  ///
  /// - Parameter domain: A canonical domain: lower-case A-labels without leading or trailing dot.
  func isPublicSuffix(_ domain: String) -> Bool
}
