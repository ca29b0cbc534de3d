import SystemLocks
import Testing
import TransportPort

@Suite struct HTTPCookieHandlingTests {
  /// A store that returns all stored cookies and the URL that it was asked for.
  final class Store: HTTPCookieHandling {
    struct Full: Error {}

    let stored = Mutex<[String]>([])
    let failsToRead: Bool
    let failsToStore: Bool

    init(failsToRead: Bool = false, failsToStore: Bool = false) {
      self.failsToRead = failsToRead
      self.failsToStore = failsToStore
    }

    func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String? {
      if failsToRead { throw Full() }
      let all = stored.withLock { $0 }
      return all.isEmpty ? nil : all.joined(separator: "; ") + "; url=\(url)"
    }

    func storeCookies(_ values: [String], fromURL url: String) async throws {
      if failsToStore { throw Full() }
      stored.withLock { $0 += values }
    }
  }

  private static let request = HTTPRequest(url: "http://user@h/a?b#c")

  @Test func `cookies of a response are stored and sent with the next request`() async throws {
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Set-Cookie": "a=1", "set-cookie": "b=2, c"])
    }
    let transport = fake.handlingCookies(with: Store())
    for _ in 0..<2 { _ = try await transport.send(Self.request) }
    #expect(
      fake.requests.map { $0.head.headerFields[.cookie] }
        == [nil, "a=1; b=2, c; url=http://h/a?b"])
  }

  @Test func `each hop of a redirect sends the cookies of its URL`() async throws {
    let fake = FakeTransport { request in
      request.path == "/a"
        ? .respond(302, headerFields: ["Location": "//other/end", "Set-Cookie": "a=1"]) : .respond()
    }
    let transport = fake.handlingCookies(with: Store()).followingRedirects()
    _ = try await transport.send(Self.request)
    #expect(
      fake.requests.map { $0.head.headerFields[.cookie] } == [nil, "a=1; url=http://other/end"])
  }

  @Test func `a Cookie field of the request is kept`() async throws {
    let fake = FakeTransport { _ in .respond() }
    let store = Store()
    store.stored.withLock { $0 = ["a=1"] }
    var request = Self.request
    request.headerFields["cookie"] = "mine=1"
    _ = try await fake.handlingCookies(with: store).send(request)
    #expect(fake.requests.map { $0.head.headerFields[values: .cookie] } == [["mine=1"]])
  }

  @Test func `an interim response sets no cookie`() async throws {
    let fake = FakeTransport { _ in
      [.send("HTTP/1.1 103 \r\nSet-Cookie: early=1\r\n\r\n")] + .respond()
    }
    let store = Store()
    let exchange = try await fake.handlingCookies(with: store).send(Self.request)
    #expect(exchange.informationalResponses.count == 1)
    #expect(store.stored.withLock { $0 } == [])
  }

  @Test func `without the policy no cookie is sent`() async throws {
    let fake = FakeTransport { _ in .respond(headerFields: ["Set-Cookie": "a=1"]) }
    for _ in 0..<2 { _ = try await fake.send(Self.request) }
    #expect(fake.requests.allSatisfy { !$0.head.headerFields.contains(.cookie) })
  }

  @Test func `an error of the store fails the request`() async throws {
    let fake = FakeTransport { _ in .respond(headerFields: ["Set-Cookie": "a=1"]) }
    let unreadable = await Outcome(
      of: fake.handlingCookies(with: Store(failsToRead: true)), Self.request)
    #expect(unreadable.error?.kind == .cookieStoreFailed)
    #expect(unreadable.error?.bytesSent == false)
    #expect(unreadable.error?.underlying is Store.Full)
    #expect(fake.requests.isEmpty)
    let full = await Outcome(
      of: fake.handlingCookies(with: Store(failsToStore: true)), Self.request)
    #expect(full.error?.kind == .cookieStoreFailed)
    #expect(full.error?.bytesSent == true)
  }

  @Test func `a cookie that would inject a field is rejected`() async throws {
    let store = Store()
    store.stored.withLock { $0 = ["a=1\r\nX: y"] }
    let fake = FakeTransport { _ in .respond() }
    let outcome = await Outcome(of: fake.handlingCookies(with: store), Self.request)
    #expect(outcome.error?.kind == .invalidRequest(.fieldValue))
  }
}
