import CookiePort
import Foundation
import Storefront
import Testing
import TransportPort

@Suite struct NetworkClientTests {
  private let cookies: StoreCookieProvider

  init() throws {
    cookies = try StoreCookieProvider(
      InMemoryCookieStore(), for: #require(URL(string: "https://shop.example/")))
  }

  private func client(
    _ answer: @escaping @Sendable (OriginRequest) -> OriginScript
  ) -> (NetworkClient, FakeTransport) {
    let transport = FakeTransport(answering: answer)
    let client = NetworkClient(
      api: "https://shop.example", http: HTTPClient(transport: transport), cookies: cookies)
    return (client, transport)
  }

  @Test func `requests after the sign-in carry the session cookie`() async throws {
    let (client, transport) = client { request in
      .respond(text: request.path == "/session" ? "abc123" : "three orders")
    }
    try await client.signIn(user: "ada", password: "secret")
    #expect(try await client.text(at: "/orders") == "three orders")
    #expect(transport.requests.map(\.head.path) == ["/session", "/orders"])
    #expect(String(decoding: transport.requests[0].body, as: UTF8.self) == "ada\nsecret")
    #expect(transport.requests[1].head.headerFields[.cookie] == "session=abc123")
    let cookie = try #require(try await cookies.cookie(named: NetworkClient.sessionCookie))
    #expect(cookie.isSecure && cookie.isHTTPOnly)
  }

  @Test func `a refused sign-in stores no cookie`() async throws {
    let (client, _) = client { _ in .respond(403, text: "no") }
    await #expect(throws: NetworkClientError.signInRefused(user: "ada", status: 403)) {
      try await client.signIn(user: "ada", password: "wrong")
    }
    #expect(try await cookies.cookie(named: NetworkClient.sessionCookie) == nil)
  }

  @Test func `without a session no request is sent`() async throws {
    let (client, transport) = client { _ in .respond(text: "") }
    await #expect(throws: NetworkClientError.notSignedIn) { try await client.text(at: "/orders") }
    #expect(transport.requests.isEmpty)
  }

  @Test func `the cookie of an expired session is deleted`() async throws {
    let (client, _) = client { request in
      request.path == "/session" ? .respond(text: "abc") : .respond(401, text: "")
    }
    try await client.signIn(user: "ada", password: "secret")
    await #expect(throws: NetworkClientError.notSignedIn) { try await client.text(at: "/orders") }
    #expect(try await cookies.cookie(named: NetworkClient.sessionCookie) == nil)
  }
}
