import Foundation

extension CookiePolicy {
  /// The maximum lifetime of a cookie in seconds: 400 days (RFC 6265bis §5.5), or `nil` for no
  /// limit.
  package var longestAge: TimeInterval? { profile == .rfc6265bis ? 400 * 86_400 : nil }

  /// Returns the latest expiry that a cookie set now may have.
  package func latestExpiry(now: Date) -> Date {
    min(longestAge.map(now.addingTimeInterval) ?? CookieDate.latest, CookieDate.latest)
  }

  /// Whether cookies that differ only in the host-only flag are different cookies.
  ///
  /// They are in RFC 6265bis (§5.7, step 23), but not in RFC 6265 (§5.3, step 11).
  package var isHostOnlyPartOfIdentity: Bool { profile == .rfc6265bis }

  /// Whether a request's origin may set and receive `Secure` cookies.
  package func isSecure(_ request: CookieRequest) -> Bool {
    request.isSecure || (trustsLocalhost && CanonicalHost.isLoopback(request.host))
  }

  /// Whether a domain is a public suffix; an IP address never is.
  package func isPublicSuffix(_ domain: String) -> Bool {
    guard !CanonicalHost.isAddress(domain) else { return false }
    let isDotted = domain.utf8.last == UInt8(ascii: ".")
    return publicSuffixes.isPublicSuffix(isDotted ? String(domain.dropLast()) : domain)
  }

  /// Applies the steps of RFC 6265bis §5.6 and §5.7 that don't depend on the store: all but 16 and
  /// 23.
  ///
  /// - Parameters:
  ///   - line: The header field's value.
  ///   - request: The request whose response carried the field, or the script's page.
  ///   - now: The current time.
  /// - Returns: The cookie, as a new one. If it has already expired, it deletes the one of its
  ///   identity.
  /// - Throws: The rule that rejects the cookie.
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

  /// Returns the rule on `SameSite=None` or name prefixes that a cookie breaks (§5.7, steps 19 to
  /// 22).
  func prefixRejection(of cookie: Cookie, hasPath: Bool) -> CookieRejection? {
    if cookie.sameSite == .none, !cookie.isSecure { return .sameSiteNoneNeedsSecure }
    let name = cookie.name.utf8
    if name.beginsCaseInsensitively(with: Self.securePrefix), !cookie.isSecure {
      return .securePrefix
    }
    if name.beginsCaseInsensitively(with: Self.hostPrefix),
      !cookie.isSecure || !cookie.isHostOnly || !hasPath || !cookie.path.hasSameBytes(as: "/")
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

  /// Checks a `Domain` attribute (§5.7, steps 8 to 10).
  ///
  /// - Returns: The domain, or `nil` for a host-only cookie.
  private func admittedDomain(_ domain: String, host: String) throws(CookieRejection) -> String? {
    guard !domain.isEmpty else { return nil }
    guard domain.utf8.allSatisfy(UTF8.isASCII) else { throw .nonASCIIDomain }
    // URLs write IPv6 addresses in brackets, so Domain may have brackets too.
    if domain.utf8.first == UInt8(ascii: "["), CanonicalHost(domain)?.name == host { return host }
    if isPublicSuffix(domain) {
      guard domain == host else { throw .publicSuffix }
      return nil
    }
    guard DomainMatch.matches(host: host, domain: domain) else { throw .domainMismatch }
    return domain
  }

  /// Returns a cookie's expiry: `Max-Age` overrides `Expires`, and the latest expiry limits both.
  private func expiry(of line: SetCookie, now: Date) -> Date? {
    if let maxAge = line.maxAge {
      return min(now.addingTimeInterval(TimeInterval(maxAge)), latestExpiry(now: now))
    }
    return line.expires.map { min($0, latestExpiry(now: now)) }
  }
}
