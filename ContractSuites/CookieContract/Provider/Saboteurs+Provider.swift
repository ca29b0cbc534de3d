import ContractTesting
import CookiePort
import Foundation
import Testing

/// A provider over a correct store, with decisions that a saboteur may replace with wrong ones.
private struct FlawedCookieProvider: CookieProvider {
  var url: URL
  var store: InMemoryCookieStore
  var set: @Sendable (inout NamedCookie) -> Void = { _ in }
  var validates = true
  var get: @Sendable (CookieRequest, [Cookie]) -> Cookie?
  var deletes: @Sendable (Cookie, String, CookieRequest) -> Bool
  var read: @Sendable (inout NamedCookie) -> Void = { _ in }

  func cookie(named name: String) async throws(CookieProviderError) -> NamedCookie? {
    guard let request = try? CookieRequest(url) else { return nil }
    let found = store.all().filter { $0.name == name }
    guard let cookie = get(request, sorted(found)) else { return nil }
    var named = NamedCookie(
      name: cookie.name, value: cookie.value, path: cookie.path, expires: cookie.expires,
      isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly)
    read(&named)
    return named
  }

  func set(_ cookie: NamedCookie) async throws(CookieProviderError) {
    if validates { try cookie.validate() }
    var cookie = cookie
    set(&cookie)
    do {
      try await StoreCookieProvider(store, for: url).set(cookie)
    } catch let error as CookieProviderError {
      if validates { throw error }
    } catch {}
  }

  func deleteCookie(named name: String) async throws(CookieProviderError) {
    guard let request = try? CookieRequest(url) else { return }
    for cookie in store.all() where deletes(cookie, name, request) { store.delete(cookie.id) }
  }

  private func sorted(_ cookies: [Cookie]) -> [Cookie] {
    cookies.sorted { $0.path.utf8.count > $1.path.utf8.count }
  }
}

extension Saboteur<CookieProviderFixture> {
  /// Declares a saboteur: a ``FlawedCookieProvider`` with one wrong decision.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @escaping @Sendable (inout FlawedCookieProvider) -> Void
  ) -> Saboteur {
    Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) { _ in
      let store = InMemoryCookieStore()
      return CookieProviderFixture { url in
        let policy = CookiePolicy()
        var provider = FlawedCookieProvider(
          url: url, store: store,
          get: { request, cookies in cookies.first { policy.sends($0, with: request) } },
          deletes: { $0.name == $1 && policy.sends($0, with: $2) })
        change(&provider)
        return provider
      }
    }
  }
}

extension Saboteur<CookieProviderFixture> {
  @SaboteurBuilder<CookieProviderFixture>
  static var provider: [Saboteur] {
    flawed(
      "empty-for-absent", "returns an empty cookie for a missing one", caughtBy: "absent",
      saying: "expected nothing"
    ) {
      let correct = $0.get
      $0.get = {
        correct($0, $1)
          ?? Cookie(
            name: "", value: "", domain: $0.host, creation: Date(timeIntervalSince1970: 0))
      }
    }
    flawed("forgets-http-only", "returns cookies without HttpOnly", caughtBy: "attributes") {
      $0.read = { $0.isHTTPOnly = false }
    }
    flawed("forgets-expiry", "stores every cookie as a session cookie", caughtBy: "attributes") {
      $0.set = { if $0.expires.map({ $0 > Date() }) == true { $0.expires = nil } }
    }
    flawed(
      "no-last-days", "moves the last days of a month to the 28th", caughtBy: "days",
      saying: "the expiry after"
    ) {
      $0.read = { cookie in
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard let expires = cookie.expires else { return }
        let day = calendar.component(.day, from: expires)
        if day > 28 { cookie.expires = expires - Double(day - 28) * 86_400 }
      }
    }
    flawed("encodes", "percent-encodes values", caughtBy: "verbatim") {
      $0.set = { $0.value = $0.value.replacing(",", with: "%2C") }
    }
    flawed("composes", "normalizes values to composed characters", caughtBy: "verbatim") {
      $0.set = { $0.value = $0.value.precomposedStringWithCanonicalMapping }
    }
    flawed("secure-stays", "keeps Secure when a cookie is replaced", caughtBy: "replaces") {
      $0.read = { if $0.value == "2" { $0.isSecure = true } }
    }
    flawed("lower-case", "lowercases names", caughtBy: "names") {
      $0.set = { $0.name = $0.name.lowercased() }
    }
    flawed(
      "deletes-any-case", "compares names case-insensitively when it deletes", caughtBy: "names"
    ) {
      $0.deletes = { cookie, name, _ in cookie.name.lowercased() == name.lowercased() }
    }
    flawed("host-suffix", "returns cookies for hosts with the same suffix", caughtBy: "own-host") {
      $0.get = { request, cookies in
        cookies.first { request.host.hasSuffix($0.domain) && request.path.hasPrefix($0.path) }
      }
    }
    flawed("path-prefix", "compares paths as string prefixes", caughtBy: "path") {
      $0.get = { request, cookies in
        cookies.first { request.host == $0.domain && request.path.hasPrefix($0.path) }
      }
    }
    flawed("shortest-path", "returns the cookie with the shortest path", caughtBy: "longest-path") {
      let correct = $0.get
      $0.get = { correct($0, $1.reversed()) }
    }
    flawed("over-http", "returns Secure cookies over http", caughtBy: "secure") {
      let correct = $0.get
      $0.get = { request, cookies in
        var request = request
        request.isSecure = true
        return correct(request, cookies)
      }
    }
    flawed("deletes-everywhere", "deletes the name for every host and path", caughtBy: "delete") {
      $0.deletes = { cookie, name, _ in cookie.name == name }
    }
    flawed("deletes-as-script", "doesn't delete HttpOnly cookies", caughtBy: "delete") {
      let correct = $0.deletes
      $0.deletes = { correct($0, $1, $2) && !$0.isHTTPOnly }
    }
    flawed("past-is-session", "treats an expiry in the past as none", caughtBy: "expired") {
      $0.set = { if $0.expires.map({ $0 < Date() }) == true { $0.expires = nil } }
    }
    flawed(
      "ignores-malformed", "drops malformed cookies without an error", caughtBy: "malformed",
      saying: "expected it rejected as malformed"
    ) {
      $0.validates = false
    }
  }
}
