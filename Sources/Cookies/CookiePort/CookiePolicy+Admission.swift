import Foundation

extension CookiePolicy {
  /// The longest that a cookie may live, in seconds: 400 days (RFC 6265bis §5.5), or no limit.
  package var longestAge: TimeInterval? { profile == .rfc6265bis ? 400 * 86_400 : nil }

  /// The latest expiry that a cookie may have.
  package func latestExpiry(now: Date) -> Date {
    min(longestAge.map(now.addingTimeInterval) ?? CookieDate.latest, CookieDate.latest)
  }

  /// Whether two cookies that differ in the host-only flag alone are two (RFC 6265bis §5.7,
  /// step 23) or one (RFC 6265 §5.3, step 11).
  package var isHostOnlyPartOfIdentity: Bool { profile == .rfc6265bis }

  /// Whether a request's origin may set and get `Secure` cookies.
  package func isSecure(_ request: CookieRequest) -> Bool {
    request.isSecure || (trustsLocalhost && CanonicalHost.isLoopback(request.host))
  }

  /// Whether nobody but its registry owns a domain; never so for an IP address.
  package func isPublicSuffix(_ domain: String) -> Bool {
    guard !CanonicalHost.isAddress(domain) else { return false }
    let isDotted = domain.utf8.last == UInt8(ascii: ".")
    return publicSuffixes.isPublicSuffix(isDotted ? String(domain.dropLast()) : domain)
  }

  /// Takes a `Set-Cookie` line through every step of RFC 6265bis §5.6 and §5.7 that needs no look
  /// at the store: all but 16 and 23.
  ///
  /// - Parameters:
  ///   - line: The header field's value.
  ///   - request: The request that it came for.
  ///   - now: The instant it came.
  /// - Returns: The cookie as it would be stored if it were new. Its expiry may have come already:
  ///   then it deletes the one of its identity.
  /// - Throws: The rule that refuses it.
  package func admit(
    _ line: String, from request: CookieRequest, now: Date
  ) throws(CookieRejection) -> Cookie {
    let line = try SetCookie(line, profile: profile)
    let domain = try admittedDomain(line.domain, host: request.host)
    let cookie = Cookie(
      name: line.name, value: line.value, domain: domain ?? request.host,
      isHostOnly: domain == nil,
      path: line.path ?? PathMatch.defaultPath(request: request.path),
      expires: expiry(of: line, now: now), isSecure: line.isSecure, isHTTPOnly: line.isHTTPOnly,
      sameSite: line.sameSite, creation: now)
    if profile == .rfc6265bis, cookie.isSecure, !isSecure(request) { throw .insecureOrigin }
    if cookie.isHTTPOnly, request.access == .script { throw .httpOnlyFromScript }
    guard profile == .rfc6265bis else { return cookie }
    if cookie.sameSite != .none, !request.isSameSite,
      request.access == .script || !request.isTopLevelNavigation
    {
      throw .crossSite
    }
    if let rejection = prefixRejection(of: cookie, hasPath: line.hasPath) { throw rejection }
    return cookie
  }

  /// The rule on `SameSite=None` or on name prefixes that a cookie breaks (§5.7, steps 19 to 22).
  func prefixRejection(of cookie: Cookie, hasPath: Bool) -> CookieRejection? {
    if cookie.sameSite == .none, !cookie.isSecure { return .sameSiteNoneNeedsSecure }
    let name = cookie.name.utf8
    if name.beginsCaseInsensitively(with: Self.securePrefix), !cookie.isSecure {
      return .securePrefix
    }
    if name.beginsCaseInsensitively(with: Self.hostPrefix),
      !cookie.isSecure || !cookie.isHostOnly || !hasPath || !cookie.path.hasSameOctets(as: "/")
    {
      return .hostPrefix
    }
    if name.isEmpty,
      cookie.value.utf8.beginsCaseInsensitively(with: Self.securePrefix)
        || cookie.value.utf8.beginsCaseInsensitively(with: Self.hostPrefix)
    {
      return .namelessPrefix
    }
    return nil
  }

  private static let securePrefix: StaticString = "__Secure-"
  private static let hostPrefix: StaticString = "__Host-"

  /// The domain that a host may set cookies for, or `nil` for the host alone (§5.7, steps 8 to 10).
  private func admittedDomain(_ domain: String, host: String) throws(CookieRejection) -> String? {
    guard !domain.isEmpty else { return nil }
    guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { throw .nonASCIIDomain }
    // A URL's host has an IPv6 address in brackets, and so may Domain.
    if domain.utf8.first == UInt8(ascii: "["), CanonicalHost(domain)?.name == host { return host }
    if isPublicSuffix(domain) {
      guard domain == host else { throw .publicSuffix }
      return nil
    }
    guard DomainMatch.matches(host: host, domain: domain) else { throw .domainMismatch }
    return domain
  }

  /// When a line's cookie ends: `Max-Age` before `Expires`, neither beyond the limit.
  private func expiry(of line: SetCookie, now: Date) -> Date? {
    if let maxAge = line.maxAge {
      guard maxAge > 0 else { return CookieDate.earliest }
      return min(now.addingTimeInterval(TimeInterval(maxAge)), latestExpiry(now: now))
    }
    return line.expires.map { min($0, latestExpiry(now: now)) }
  }
}
