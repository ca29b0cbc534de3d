import ContractTesting
import CookieContract
import CookiePort
import DriftExploration
import Testing

/// The stores in their own calls, with which `contracts suggest` looks for what no clause notices.
@Suite struct CookieDriftTests {
  @Test func `the fake stores cookies as SQLite does`() async throws {
    let lines = Domain.of(
      "a=1", "a=2", "b=1; Path=/docs", "b=; Max-Age=0; Path=/docs", "a=1; Domain=example.com",
      "a=3; Max-Age=3", "s=1; Secure; HttpOnly", "l=1; SameSite=Strict",
      "__Host-h=1; Path=/; Secure")
    let urls = Domain.of(
      "https://example.com/", "https://example.com/docs/a", "http://www.example.com/docs",
      "https://other.test/")
    let domains = Domain.of("example.com", "www.example.com", "other.test", "com")
    try await exploreDrift(of: .inMemory, from: .sqlite, settings: .drift(time: .seconds(2))) {
      Operation("store", lines, urls) { fixture, line, url in
        try await fixture.store.store(line, from: CookieRequest(url)).map { "\($0)" }
      }
      Operation("cookies", urls) { fixture, url in
        try await fixture.store.cookies(for: CookieRequest(url)).map(\.withoutAccess)
      }
      Operation("all") { try await $0.store.all().map(\.withoutAccess) }
      Operation("delete", .of("a", "b"), domains, .booleans, .of("/", "/docs")) {
        fixture, name, domain, isHostOnly, path in
        try await fixture.store.delete(
          Cookie.ID(name: name, domain: domain, isHostOnly: isHostOnly, path: path))
      }
      Operation("deleteAll", domains) { try await $0.store.deleteAll(under: $1) }
      Operation("clear") { try await $0.store.clear() }
      Operation("removeExpired") { try await $0.store.removeExpired() }
      Operation("endSession") { try await $0.store.endSession() }
      Operation("advance", .smallIntegers(around: 0, 3)) { fixture, seconds in
        fixture.clock.advance(by: Double(seconds))
      }
    }
  }
}

extension Cookie {
  /// The cookie without its last access, which stores may write later.
  fileprivate var withoutAccess: Cookie {
    var cookie = self
    cookie.lastAccess = cookie.creation
    return cookie
  }
}
