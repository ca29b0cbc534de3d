import ContractTesting
import CookiePort
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var sameSite: [Saboteur] {
    flawed(
      "foreign-by-default", "takes requests that do not navigate for those of other sites",
      caughtBy: "request-defaults", saying: "the header for a request of a URL is nothing"
    ) {
      $0.changeBeforeMatching { _, request in request.isSameSite = request.isTopLevelNavigation }
    }
    flawed(
      "http-only-shown", "returns HttpOnly cookies to scripts", caughtBy: "http-only-get",
      saying: "(script) carries"
    ) { $0.changeBeforeMatching { cookie, _ in cookie.isHTTPOnly = false } }
    flawed(
      "http-only-by-script", "accepts HttpOnly cookies from scripts", caughtBy: "http-only-set",
      saying: "expected it rejected as httpOnlyFromScript"
    ) { $0.admit(rejectedAs: .httpOnlyFromScript) { _, request, _ in request.access = .http } }
    flawed(
      "http-only-replaced", "lets scripts replace HttpOnly cookies",
      caughtBy: "http-only-overwrite",
      "rejection", saying: "overwritesHTTPOnly"
    ) { $0.protectsHTTPOnly = false }
    flawed(
      "unknown-is-lax", "treats an unknown SameSite as Lax", caughtBy: "same-site-values",
      saying: "SameSite of 'SameSite=Default' is lax"
    ) {
      $0.admitted = { cookie, received in
        if !received.values(of: "SameSite").isEmpty, cookie.sameSite == .unspecified {
          cookie.sameSite = .lax
        }
      }
    }
    flawed(
      "same-site-as-written", "compares SameSite values case-sensitively",
      caughtBy: "same-site-values", saying: "SameSite of 'SameSite=STRICT'"
    ) {
      $0.admitted = { cookie, received in
        let value = received.values(of: "SameSite").last ?? ""
        if !["Strict", "Lax", "None"].contains(value) { cookie.sameSite = .unspecified }
      }
    }
    flawed(
      "none-insecure", "accepts SameSite=None without Secure", caughtBy: "none-needs-secure",
      saying: "expected it rejected as sameSiteNoneNeedsSecure"
    ) {
      $0.admit(rejectedAs: .sameSiteNoneNeedsSecure) { line, _, _ in
        line.rewrite("SameSite") { _ in nil }
      }
    }
    flawed(
      "strict-is-lax", "sends Strict cookies as if they were Lax", caughtBy: "strict",
      saying: "(cross-site navigation) carries"
    ) {
      $0.changeBeforeMatching { cookie, _ in
        if cookie.sameSite == .strict { cookie.sameSite = .lax }
      }
    }
    flawed(
      "lax-unsafe", "sends Lax cookies with unsafe methods", caughtBy: "lax",
      saying: "(cross-site unsafe navigation) carries"
    ) { $0.changeBeforeMatching { _, request in request.isSafeMethod = true } }
    flawed(
      "default-is-none", "sends cookies without SameSite as if they were SameSite=None",
      caughtBy: "lax",
      saying: "(cross-site) carries"
    ) {
      $0.changeBeforeMatching { cookie, _ in
        if cookie.sameSite == .unspecified { cookie.sameSite = .none }
      }
    }
    flawed(
      "lax-subresource", "sends Lax cookies with every safe cross-site request", caughtBy: "lax",
      saying: "(cross-site) carries"
    ) { $0.changeBeforeMatching { _, request in request.isTopLevelNavigation = true } }
    flawed(
      "scripts-navigate", "treats a script as the navigation to its page", caughtBy: "lax",
      "cross-site-set", saying: "cross-site script after navigation"
    ) {
      $0.changeBeforeMatching { _, request in request.access = .http }
      $0.admit(rejectedAs: .crossSite, where: { $0.request.isTopLevelNavigation }) {
        _, request, _ in
        request.access = .http
      }
    }
    flawed(
      "none-is-lax", "sends SameSite=None cookies as if they were Lax", caughtBy: "none",
      saying: "(cross-site) carries nothing"
    ) {
      $0.changeBeforeMatching { cookie, _ in if cookie.sameSite == .none { cookie.sameSite = .lax }
      }
    }
    flawed(
      "cross-site-default", "accepts cookies without SameSite from cross-site requests",
      caughtBy: "cross-site-set", saying: "expected it rejected as crossSite"
    ) {
      $0.admit(rejectedAs: .crossSite, where: { $0.values(of: "SameSite").isEmpty }) {
        _, request, _ in request.isSameSite = true
      }
    }
    flawed(
      "cross-site-navigation", "rejects cookies from cross-site navigations",
      caughtBy: "cross-site-set", saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, received in
        cookie.sameSite != .none && !received.request.isSameSite ? .crossSite : nil
      }
    }
    flawed(
      "same-site-always", "parses SameSite in RFC 6265 too", caughtBy: "same-site-rfc6265",
      saying: "SameSite in RFC 6265"
    ) {
      $0.admitted = { cookie, received in
        if received.values(of: "SameSite") == ["Strict"] { cookie.sameSite = .strict }
      }
    }
  }
}
