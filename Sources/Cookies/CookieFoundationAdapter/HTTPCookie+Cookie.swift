import CookiePort
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Cookie {
  /// Creates a cookie from Foundation's; fields that Foundation doesn't keep have their defaults.
  init(_ cookie: HTTPCookie) {
    let isHostOnly = !cookie.domain.hasPrefix(".")
    let created = cookie.properties?[HTTPCookiePropertyKey("Created")] as? TimeInterval
    self.init(
      name: cookie.name, value: cookie.value,
      domain: isHostOnly ? cookie.domain : String(cookie.domain.dropFirst()),
      isHostOnly: isHostOnly, path: cookie.path, expires: cookie.expiresDate,
      isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly, sameSite: Self.sameSite(of: cookie),
      creation: Date(timeIntervalSinceReferenceDate: created ?? 0))
  }

  private static func sameSite(of cookie: HTTPCookie) -> SameSite {
    #if canImport(FoundationNetworking)
      .unspecified
    #else
      switch cookie.sameSitePolicy {
      case .sameSiteLax?: .lax
      case .sameSiteStrict?: .strict
      default: .unspecified
      }
    #endif
  }
}

extension HTTPCookie {
  /// Creates Foundation's cookie, or returns `nil` if Foundation rejects the properties.
  convenience init?(_ cookie: Cookie) {
    let properties: [HTTPCookiePropertyKey: Any?] = [
      .name: cookie.name, .value: cookie.value, .path: cookie.path,
      .domain: cookie.isHostOnly ? cookie.domain : ".\(cookie.domain)", .expires: cookie.expires,
      .secure: cookie.isSecure ? "TRUE" : nil,
      HTTPCookiePropertyKey("HttpOnly"): cookie.isHTTPOnly ? "TRUE" : nil,
    ]
    self.init(properties: properties.compactMapValues(\.self))
  }
}
