import CookiePort
import Storefront
import Testing
import TransportPort

@Suite struct NetworkClientTests {
  private let store = InMemoryCookieStore()

  private func client(
    _ answer: @escaping @Sendable (OriginRequest) -> OriginScript
  ) throws -> (NetworkClient, FakeTransport) {
    let transport = FakeTransport(answering: answer)
    let client = try NetworkClient(api: "https://shop.example", transport: transport, store: store)
    return (client, transport)
  }

  /// A response that sets the session cookie.
  private static let session = OriginScript.respond(
    headerFields: ["Set-Cookie": "session=abc123; Path=/; Secure; HttpOnly"])

  @Test func `requests after the sign-in carry the session cookie`() async throws {
    let (client, transport) = try client { request in
      request.path == "/session" ? Self.session : .respond(text: "three orders")
    }
    try await client.signIn(user: "ada", password: "secret")
    #expect(try await client.text(at: "/orders") == "three orders")
    #expect(transport.requests.map(\.head.path) == ["/session", "/orders"])
    #expect(String(decoding: transport.requests[0].body, as: UTF8.self) == "ada\nsecret")
    #expect(transport.requests[0].head.headerFields[.contentType] == "text/plain")
    #expect(transport.requests[1].head.headerFields[.cookie] == "session=abc123")
  }

  @Test func `a redirect sends the session to the shop, and not to other hosts`() async throws {
    let (client, transport) = try client { request in
      switch request.path {
      case "/session": Self.session
      case "/orders": .respond(302, headerFields: ["Location": "/v2/orders"])
      case "/v2/orders": .respond(302, headerFields: ["Location": "https://archive.example/"])
      default: .respond(text: "old orders")
      }
    }
    try await client.signIn(user: "ada", password: "secret")
    #expect(try await client.text(at: "/orders") == "old orders")
    #expect(
      transport.requests.map { $0.head.headerFields[.cookie] }
        == [nil, "session=abc123", "session=abc123", nil])
  }

  @Test func `a refused sign-in stores no cookie`() async throws {
    let (client, _) = try client { _ in .respond(403, text: "no") }
    await #expect(throws: NetworkClientError.signInRefused(user: "ada", status: 403)) {
      try await client.signIn(user: "ada", password: "wrong")
    }
    #expect(store.all().isEmpty)
  }

  @Test func `a sign-in needs the status 200 and the session cookie, both`() async throws {
    let cookie = "session=abc123; Path=/; Secure; HttpOnly"
    for answer in [
      OriginScript.respond(202, headerFields: ["Set-Cookie": cookie]), .respond(text: "welcome"),
    ] {
      store.clear()
      let (client, _) = try client { _ in answer }
      await #expect(throws: NetworkClientError.self) {
        try await client.signIn(user: "ada", password: "secret")
      }
    }
  }

  @Test func `without a session no request is sent`() async throws {
    let (client, transport) = try client { _ in .respond(text: "") }
    await #expect(throws: NetworkClientError.notSignedIn) { try await client.text(at: "/orders") }
    #expect(transport.requests.isEmpty)
  }

  @Test func `the cookie of an expired session is deleted`() async throws {
    let (client, _) = try client { request in
      request.path == "/session" ? Self.session : .respond(401, text: "")
    }
    try await client.signIn(user: "ada", password: "secret")
    await #expect(throws: NetworkClientError.notSignedIn) { try await client.text(at: "/orders") }
    #expect(store.all().isEmpty)
  }
}
