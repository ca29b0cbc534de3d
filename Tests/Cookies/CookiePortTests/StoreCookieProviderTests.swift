import CookiePort
import Foundation
import Testing

@Suite("StoreCookieProvider")
struct StoreCookieProviderTests {
  private let store = InMemoryCookieStore { .start }
  private let provider: StoreCookieProvider
  private let request: CookieRequest

  init() throws {
    let url = try #require(URL(string: "https://api.example.com/v1/users"))
    provider = try StoreCookieProvider(store, for: url)
    request = try CookieRequest(url)
  }

  @Test("a cookie is returned by its name, with its attributes")
  func setAndGet() async throws {
    let cookie = NamedCookie(
      name: "token", value: "a=\"b\", c", path: "/v1", expires: .start + 60, isSecure: true,
      isHTTPOnly: true)
    try await provider.set(cookie)
    #expect(try await provider.cookie(named: "token") == cookie)
    #expect(try await provider.cookie(named: "Token") == nil)
    let session = NamedCookie(name: "s", value: "")
    try await provider.set(session)
    #expect(try await provider.cookie(named: "s") == session)
    let hidden = NamedCookie(name: "h", value: "", isHTTPOnly: true)
    try await provider.set(hidden)
    #expect(try await provider.cookie(named: "h") == hidden)
    #expect(store.all().map(\.isHostOnly) == [true, true, true])
  }

  @Test("names are compared by bytes")
  func bytes() async throws {
    try await provider.set(NamedCookie(name: "\u{E9}", value: "1"))
    #expect(try await provider.cookie(named: "e\u{301}") == nil)
    #expect(NamedCookie(name: "\u{E9}", value: "") != NamedCookie(name: "e\u{301}", value: ""))
  }

  @Test("the first cookie in the header is returned if several have the name")
  func first() async throws {
    try store.store("a=wide; Domain=example.com; Path=/", from: request)
    try store.store("a=deep; Path=/v1", from: request)
    #expect(try await provider.cookie(named: "a")?.value == "deep")
  }

  @Test("deleting removes exactly the cookies of the name that a request to the URL carries")
  func delete() async throws {
    for line in [
      "a=1", "a=2; Path=/", "a=3; Domain=example.com; HttpOnly; Secure", "b=4", "a=5; Path=/other",
    ] {
      try store.store(line, from: request)
    }
    try store.store("a=6", from: CookieRequest("https://www.example.com/"))
    try await provider.deleteCookie(named: "a")
    #expect(store.all().map(\.value) == ["4", "5", "6"])
    try await provider.deleteCookie(named: "a")
  }

  @Test("a cookie that has expired deletes the existing one")
  func expired() async throws {
    try await provider.set(NamedCookie(name: "a", value: "1"))
    try await provider.set(NamedCookie(name: "a", value: "1", expires: .start - 1))
    #expect(try await provider.cookie(named: "a") == nil)
  }

  @Test(
    "text that a line can't carry throws an error with the attribute",
    arguments: [
      ("", "1", "/", CookieProviderError.Attribute.name), ("a=b", "1", "/", .name),
      ("a; Secure", "1", "/", .name), (" a", "1", "/", .name), ("a\r\n", "1", "/", .name),
      ("a", "1; Domain=example.com", "/", .value), ("a", "1 ", "/", .value),
      ("a", "\u{0}", "/", .value),
      ("a", "1;\u{301}", "/", .value), ("a", "1", "", .path), ("a", "1", "x", .path),
      ("a", "1", "/;", .path), ("a", "1", "/ ", .path),
      ("a", "1", "/" + String(repeating: "x", count: 1024), .path),
    ])
  func malformed(
    _ name: String, _ value: String, _ path: String, _ attribute: CookieProviderError.Attribute
  ) async {
    let text =
      [CookieProviderError.Attribute.name: name, .value: value, .path: path][attribute] ?? ""
    await #expect(throws: CookieProviderError.malformed(attribute, text)) {
      try await provider.set(NamedCookie(name: name, value: value, path: path))
    }
    #expect(store.all().isEmpty)
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
