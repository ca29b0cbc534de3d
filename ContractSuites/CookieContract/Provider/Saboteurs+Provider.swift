import ContractTesting
import CookiePort
import Foundation
import Testing

/// A provider over a sound store, with a flaw.
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

extension CookieProviderFixture {
  fileprivate static func flawed(
    _ spoil: @escaping @Sendable (inout FlawedCookieProvider) -> Void
  ) -> CookieProviderFixture {
    let store = InMemoryCookieStore()
    return CookieProviderFixture { url in
      let policy = CookiePolicy()
      var provider = FlawedCookieProvider(
        url: url, store: store,
        get: { request, cookies in cookies.first { policy.sends($0, with: request) } },
        deletes: { $0.name == $1 && policy.sends($0, with: $2) })
      spoil(&provider)
      return provider
    }
  }
}

extension Saboteur<CookieProviderFixture> {
  @SaboteurBuilder<CookieProviderFixture>
  static var provider: [Saboteur] {
    Saboteur(
      "empty-for-absent", "gives an empty cookie for one that isn't there", caughtBy: "absent",
      saying: "expected nothing"
    ) {
      .flawed {
        let sound = $0.get
        $0.get = {
          sound($0, $1)
            ?? Cookie(
              name: "", value: "", domain: $0.host, creation: Date(timeIntervalSince1970: 0))
        }
      }
    }
    Saboteur("forgets-http-only", "forgets HttpOnly", caughtBy: "attributes") {
      .flawed { $0.read = { $0.isHTTPOnly = false } }
    }
    Saboteur("forgets-expiry", "makes session cookies of all", caughtBy: "attributes") {
      .flawed {
        $0.set = { if $0.expires.map({ $0 > Date() }) == true { $0.expires = nil } }
      }
    }
    Saboteur("encodes", "percent-encodes values", caughtBy: "verbatim") {
      .flawed { $0.set = { $0.value = $0.value.replacing(",", with: "%2C") } }
    }
    Saboteur("composes", "composes letters and accents", caughtBy: "verbatim") {
      .flawed { $0.set = { $0.value = $0.value.precomposedStringWithCanonicalMapping } }
    }
    Saboteur("secure-stays", "keeps Secure when a cookie is replaced", caughtBy: "replaces") {
      .flawed { $0.read = { if $0.value == "2" { $0.isSecure = true } } }
    }
    Saboteur("lower-case", "takes names in lower case", caughtBy: "names") {
      .flawed { $0.set = { $0.name = $0.name.lowercased() } }
    }
    Saboteur("deletes-any-case", "deletes names of either case", caughtBy: "names") {
      .flawed { $0.deletes = { cookie, name, _ in cookie.name.lowercased() == name.lowercased() } }
    }
    Saboteur("host-suffix", "gives cookies to hosts that end alike", caughtBy: "own-host") {
      .flawed {
        $0.get = { request, cookies in
          cookies.first { request.host.hasSuffix($0.domain) && request.path.hasPrefix($0.path) }
        }
      }
    }
    Saboteur("path-prefix", "compares paths by their beginnings alone", caughtBy: "path") {
      .flawed {
        $0.get = { request, cookies in
          cookies.first { request.host == $0.domain && request.path.hasPrefix($0.path) }
        }
      }
    }
    Saboteur("shortest-path", "gives the cookie of the shortest path", caughtBy: "longest-path") {
      .flawed {
        let sound = $0.get
        $0.get = { sound($0, $1.reversed()) }
      }
    }
    Saboteur("over-http", "gives Secure cookies to http", caughtBy: "secure") {
      .flawed {
        let sound = $0.get
        $0.get = { request, cookies in
          var request = request
          request.isSecure = true
          return sound(request, cookies)
        }
      }
    }
    Saboteur("deletes-everywhere", "deletes the name on every host and path", caughtBy: "delete") {
      .flawed { $0.deletes = { cookie, name, _ in cookie.name == name } }
    }
    Saboteur("deletes-as-script", "doesn't delete HttpOnly cookies", caughtBy: "delete") {
      .flawed {
        let sound = $0.deletes
        $0.deletes = { sound($0, $1, $2) && !$0.isHTTPOnly }
      }
    }
    Saboteur("past-is-session", "takes an expiry in the past for none", caughtBy: "expired") {
      .flawed { $0.set = { if $0.expires.map({ $0 < Date() }) == true { $0.expires = nil } } }
    }
    Saboteur(
      "ignores-malformed", "drops what a cookie can't carry without a word", caughtBy: "malformed",
      saying: "expected it refused as malformed"
    ) {
      .flawed { $0.validates = false }
    }
  }
}
