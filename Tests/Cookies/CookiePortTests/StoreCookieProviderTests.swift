import CookiePort
import Foundation
import Testing

@Suite("StoreCookieProvider")
struct StoreCookieProviderTests {
  private let store = InMemoryCookieStore { .start }

  @Test("names are compared by bytes")
  func bytes() async throws {
    let url = try #require(URL(string: "https://api.example.com/v1/users"))
    let provider = try StoreCookieProvider(store, for: url)
    try await provider.set(NamedCookie(name: "\u{E9}", value: "1"))
    #expect(try await provider.cookie(named: "e\u{301}") == nil)
    #expect(NamedCookie(name: "\u{E9}", value: "") != NamedCookie(name: "e\u{301}", value: ""))
  }

  @Test("a rejection by the store is passed on")
  func rejected() async throws {
    let url = try #require(URL(string: "http://api.example.com/"))
    let insecure = try StoreCookieProvider(store, for: url)
    await #expect(throws: CookieProviderError.store(.rejected(.insecureOrigin))) {
      try await insecure.set(NamedCookie(name: "a", value: "1", isSecure: true))
    }
  }

  @Test("a URL without a host is rejected")
  func noHost() throws {
    let url = try #require(URL(string: "file:///x"))
    #expect(throws: CookieRequestError.missingHost("file:///x")) {
      try StoreCookieProvider(store, for: url)
    }
  }
}
