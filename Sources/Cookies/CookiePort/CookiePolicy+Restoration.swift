import Foundation

extension CookiePolicy {
  /// Validates a cookie to restore and clamps its dates.
  ///
  /// - Parameters:
  ///   - cookie: The cookie.
  ///   - now: The current time, which limits creation and last access.
  /// - Returns: The cookie to store, which may have expired.
  /// - Throws: The rule that the cookie breaks.
  package func restorable(_ cookie: Cookie, now: Date) throws(CookieRejection) -> Cookie {
    try checkRestorable(cookie)
    var restored = cookie
    restored.creation = min(cookie.creation, now)
    restored.lastAccess = min(cookie.lastAccess, now)
    restored.expires = cookie.expires.map { min($0, latestExpiry(now: now)) }
    return restored
  }

  /// Checks that a `Set-Cookie` line can produce a cookie.
  ///
  /// - Throws: The rule that the cookie breaks.
  package func checkRestorable(_ cookie: Cookie) throws(CookieRejection) {
    try checkText(of: cookie)
    guard CanonicalHost.isCanonical(cookie.domain),
      cookie.path.utf8.first == UInt8(ascii: "/"), cookie.path.utf8.last?.isCookieSpace == false,
      [cookie.expires, cookie.creation, cookie.lastAccess].allSatisfy(Self.isDate)
    else { throw .notRestorable }
    if profile == .rfc6265bis, let rejection = prefixRejection(of: cookie, hasPath: true) {
      throw rejection
    }
  }

  /// Checks that a line can carry the cookie's name, value and path unchanged.
  private func checkText(of cookie: Cookie) throws(CookieRejection) {
    let name = cookie.name.utf8
    let value = cookie.value.utf8
    for text in [name, value, cookie.domain.utf8, cookie.path.utf8] {
      for byte in text where byte.isCookieControl { throw .controlCharacter }
    }
    for text in [name, value] {
      guard !text.contains(UInt8(ascii: ";")), text.first?.isCookieSpace != true,
        text.last?.isCookieSpace != true
      else { throw .notRestorable }
    }
    guard !name.contains(UInt8(ascii: "=")) else { throw .notRestorable }
    try SetCookie.checkSize(name: name.octetCount, value: value.octetCount, profile: profile)
  }

  private static func isDate(_ date: Date?) -> Bool { date.map(CookieDate.isValid) ?? true }
}
