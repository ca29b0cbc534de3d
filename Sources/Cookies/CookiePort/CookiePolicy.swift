import Foundation

/// The rules that a store applies: profile, limits, trust in localhost and the public-suffix list.
public struct CookiePolicy: Sendable {
  /// The specification that applies.
  public var profile: Profile

  /// The limits on the number of cookies.
  public var limits: Limits

  /// Whether http to `localhost` and loopback addresses counts as secure.
  public var trustsLocalhost: Bool

  /// The public-suffix list: cookies can't be set for the domains that it names.
  public var publicSuffixes: any PublicSuffixList

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - profile: The specification.
  ///   - limits: The limits on the number of cookies.
  ///   - trustsLocalhost: Whether http to `localhost` and loopback addresses counts as secure.
  ///   - publicSuffixes: The public-suffix list. The default contains only top-level domains. An
  ///     app that connects to arbitrary hosts should use a list from `CookiePublicSuffixAdapter`.
  public init(
    profile: Profile = .rfc6265bis, limits: Limits = Limits(), trustsLocalhost: Bool = false,
    publicSuffixes: some PublicSuffixList = .topLevelDomains
  ) {
    self.profile = profile
    self.limits = limits
    self.trustsLocalhost = trustsLocalhost
    self.publicSuffixes = publicSuffixes
  }

  /// A cookie specification.
  public enum Profile: String, Sendable, Hashable, CaseIterable {
    /// RFC 6265 (2011): no SameSite, no prefixes, no nameless cookies, no size limits and no
    /// 400-day limit. `Secure` cookies may be set over http. The host-only flag isn't part of the
    /// identity.
    case rfc6265
    /// draft-ietf-httpbis-rfc6265bis-22.
    case rfc6265bis
  }

  /// The numbers of cookies above which a store evicts.
  public struct Limits: Sendable, Hashable {
    /// The limit for one domain. RFC 6265bis §6.1 asks for at least 50.
    public var perDomain: Int

    /// The limit in total. RFC 6265bis §6.1 asks for at least 3,000.
    public var total: Int

    /// Creates limits; negative numbers become 0.
    ///
    /// - Parameters:
    ///   - perDomain: The limit for one domain, which may be below the RFC's minimum.
    ///   - total: The limit in total, which may be below the RFC's minimum.
    public init(
      perDomain: Int = 180,
      total: Int = 3300
    ) {
      self.perDomain = max(0, perDomain)
      self.total = max(0, total)
    }
  }
}
