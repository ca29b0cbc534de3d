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

  /// Rules of this profile, with these limits, trust and list.
  ///
  /// - Parameters:
  ///   - profile: The specification.
  ///   - limits: How many cookies are kept.
  ///   - trustsLocalhost: Whether loopback counts as secure without TLS.
  ///   - publicSuffixes: The list. The default knows no suffix below the top level; an app that
  ///     talks to hosts it doesn't choose wants the list of `CookiePublicSuffixAdapter`.
  public init(
    profile: Profile = .rfc6265bis, limits: Limits = Limits(), trustsLocalhost: Bool = false,
    publicSuffixes: some PublicSuffixList = .topLevelDomains
  ) {
    self.profile = profile
    self.limits = limits
    self.trustsLocalhost = trustsLocalhost
    self.publicSuffixes = publicSuffixes
  }

  /// A specification of cookies.
  public enum Profile: String, Sendable, Hashable, CaseIterable {
    /// RFC 6265 (2011): no SameSite, no prefixes, no nameless cookies, no size limits, no 400-day
    /// cap; `Secure` cookies may be set over http; host-only is no part of the identity.
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

    /// Limits of these sizes; numbers below the minima are taken as they are, negative ones as 0.
    public init(perDomain: Int = 180, total: Int = 3300) {
      self.perDomain = max(0, perDomain)
      self.total = max(0, total)
    }
  }
}
