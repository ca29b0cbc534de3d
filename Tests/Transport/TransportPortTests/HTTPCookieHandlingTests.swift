import SystemLocks
import Testing
import TransportPort

@Suite struct HTTPCookieHandlingTests {
  /// A store that returns all stored cookies and the URL that it was asked for.
  final class Store: HTTPCookieHandling {
    let stored = Mutex<[String]>([])
    /// How often cookies were stored.
    let calls = Mutex(0)

    func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String? {
      let all = stored.withLock { $0 }
      return all.isEmpty ? nil : all.joined(separator: "; ") + "; url=\(url)"
    }

    func storeCookies(_ values: [String], fromURL url: String) async throws {
      calls.withLock { $0 += 1 }
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

  @Test func `an interim response sets no cookie`() async throws {
    let fake = FakeTransport { _ in
      [.send("HTTP/1.1 103 \r\nSet-Cookie: early=1\r\n\r\n")] + .respond()
    }
    let store = Store()
    let exchange = try await fake.handlingCookies(with: store).send(Self.request)
    #expect(exchange.informationalResponses.count == 1)
    #expect(store.stored.withLock { $0 } == [])
  }

  @Test func `a cookie that would inject a field is rejected`() async throws {
    let store = Store()
    store.stored.withLock { $0 = ["a=1\r\nX: y"] }
    let fake = FakeTransport { _ in .respond() }
    let outcome = await Outcome(of: fake.handlingCookies(with: store), Self.request)
    #expect(outcome.error?.kind == .invalidRequest(.fieldValue))
  }

  @Test func `a response without cookies does not reach the store`() async throws {
    let store = Store()
    let fake = FakeTransport { _ in .respond() }
    _ = try await fake.handlingCookies(with: store).send(Self.request)
    #expect(store.calls.withLock { $0 } == 0)
  }
}
