import CookiePort
import Foundation
import Testing

@testable import CookieFoundationAdapter

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the contract can't see, because Foundation deviates from its clauses.
@Suite struct FoundationCookieStoreTests {
  private let storage: HTTPCookieStorage
  private let store: FoundationCookieStore

  init() throws {
    storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    store = FoundationCookieStore(storage)
  }

  @Test func `a restored cookie has every field that Foundation keeps, and is announced`()
    async throws
  {
    let expires = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 3600)
    var changes = store.changes().makeAsyncIterator()
    let cookies = [
      Cookie(name: "a", value: "1", domain: "example.com", path: "/docs", creation: .now),
      Cookie(
        name: "b", value: "2", domain: "example.com", isHostOnly: false, expires: expires,
        isSecure: true, isHTTPOnly: true, creation: .now),
    ]
    try store.restore(cookies)
    for cookie in cookies {
      let change = await changes.next()
      guard case .stored(let announced, nil) = change else {
        Issue.record("another change: \(String(describing: change))")
        continue
      }
      let kept = try #require(store.all().first { $0.name == cookie.name })
      for found in [announced, kept] {
        #expect(found.id == cookie.id)
        #expect(found.value == cookie.value && found.expires == cookie.expires)
        #expect(found.isSecure == cookie.isSecure && found.isHTTPOnly == cookie.isHTTPOnly)
      }
    }
  }

  @Test func `a stored line has the time of its creation`() throws {
    let before = Date(timeIntervalSinceNow: -2)
    guard case .stored(let cookie, nil)? = try store.store("a=1", from: request()) else {
      Issue.record("not stored")
      return
    }
    #expect(cookie.creation > before && cookie.creation <= .now)
  }

  @Test func `a line replaces the cookie of its name, domain and path only`() throws {
    try store.store("a=1; Path=/", from: request())
    for (line, old) in [
      ("a=2; Path=/", "1"), ("b=3; Path=/", nil), ("a=4; Path=/docs", nil),
      ("a=5; Path=/; Domain=example.com", nil),
    ] as [(String, String?)] {
      guard case .stored(_, let replaced)? = try store.store(line, from: request()) else {
        Issue.record("\(line) is not stored")
        continue
      }
      #expect(replaced?.value == old, "\(line)")
    }
  }

  @Test func `a secure request is one over https`() throws {
    try store.store("a=1; Secure", from: request())
    try store.store("b=1", from: request(isSecure: false))
    #expect(try store.cookies(for: request()).map(\.name).sorted() == ["a", "b"])
    let url = try #require(URL(string: "https://example.com/"))
    #expect(storage.cookies(for: url)?.count == 2)
    #expect(storage.cookies?.first { $0.name == "a" }?.isSecure == true)
  }

  @Test func `session cookies end, expired ones are counted, and all are cleared`() async throws {
    try store.store("a=1", from: request())
    try store.restore([
      Cookie(
        name: "b", value: "1", domain: "example.com", expires: .now + 3600, creation: .now)
    ])
    #expect(store.removeExpired() == 0)
    #expect(store.all().count == 2)
    var changes = store.changes().makeAsyncIterator()
    store.endSession()
    guard case .removed(let cookie, .sessionEnded)? = await changes.next() else {
      Issue.record("the end of the session is not announced")
      return
    }
    #expect(cookie.name == "a" && store.all().map(\.name) == ["b"])
    store.clear()
    #expect(store.all().isEmpty)
  }

  @Test func `expired cookies are removed and counted`() throws {
    let expires = Date.now + 0.05
    try store.restore([
      Cookie(name: "a", value: "1", domain: "example.com", expires: expires, creation: .now),
      Cookie(name: "b", value: "1", domain: "example.com", creation: .now),
    ])
    while Date.now < expires {}
    #expect(store.removeExpired() == 1)
    #expect(store.all().map(\.name) == ["b"])
  }

  @Test func `of several cookies in a line the first is announced`() throws {
    guard case .stored(let cookie, nil)? = try store.store("a=1, b=2", from: request()) else {
      Issue.record("not stored")
      return
    }
    #expect(cookie.name == "a")
  }

  @Test(arguments: [
    (true, "example.com", "https://example.com/docs"), (false, "[::1]", "http://[::1]/docs"),
  ])
  func `a request's URL has its scheme, host and path`(isSecure: Bool, host: String, url: String)
    throws
  {
    let request = try CookieRequest(isSecure: isSecure, host: host, path: "/docs")
    #expect(request.url?.absoluteString == url)
  }

  @Test func `of several cookies of a name a provider returns the one with the longest path`()
    throws
  {
    let url = try #require(URL(string: "https://example.com/docs/a/b"))
    for path in ["/docs", "/docs/a/b", "/", "/docs/a"] {
      try storage.provider(for: url).set(NamedCookie(name: "a", value: path, path: path))
    }
    #expect(storage.provider(for: url).cookie(named: "a")?.value == "/docs/a/b")
  }

  @Test func `a provider sets, returns and deletes the cookies of its URL`() throws {
    let url = try #require(URL(string: "https://example.com/"))
    let provider = storage.provider(for: url)
    let expires = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 3600)
    let cookies = [
      NamedCookie(name: "a", value: "1"),
      NamedCookie(name: "b", value: "2", expires: expires, isSecure: true, isHTTPOnly: true),
    ]
    for cookie in cookies { try provider.set(cookie) }
    for cookie in cookies { #expect(provider.cookie(named: cookie.name) == cookie) }
    provider.deleteCookie(named: "a")
    #expect(provider.cookie(named: "a") == nil && storage.cookies?.map(\.name) == ["b"])
  }

  private func request(isSecure: Bool = true) throws -> CookieRequest {
    try CookieRequest(isSecure: isSecure, host: "example.com")
  }
}
