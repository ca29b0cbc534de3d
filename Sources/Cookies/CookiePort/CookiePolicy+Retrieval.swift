extension CookiePolicy {
  /// Whether a request carries a cookie whose domain is known to cover the request's host.
  package func sendsWithin(_ cookie: Cookie, _ request: CookieRequest) -> Bool {
    sendsWithin(
      path: cookie.path, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
      sameSite: cookie.sameSite, request)
  }

  /// Whether a request carries a cookie with these fields, for stores that read fields one by one.
  package func sendsWithin(
    path: String, isSecure: Bool, isHTTPOnly: Bool, sameSite: Cookie.SameSite,
    _ request: CookieRequest
  ) -> Bool {
    guard PathMatch.matches(request: request.path, cookie: path) else { return false }
    if isSecure, !self.isSecure(request) { return false }
    if isHTTPOnly, request.access == .script { return false }
    guard profile == .rfc6265bis, !request.isSameSite else { return true }
    switch sameSite {
    case .none: return true
    case .strict: return false
    case .lax, .unspecified:
      return request.access == .http && request.isSafeMethod && request.isTopLevelNavigation
    }
  }
}
