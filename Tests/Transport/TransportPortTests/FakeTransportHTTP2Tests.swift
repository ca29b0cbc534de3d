import SystemLocks
import Testing
import TransportPort

@Suite struct FakeTransportHTTP2Tests {
  private static func fake(
    _ onRequest: @escaping @Sendable (OriginRequest) -> OriginScript
  ) -> FakeTransport {
    FakeTransport(OriginPlan(version: .http2, onRequest: onRequest))
  }

  /// A response whose content is sent when the client reads it.
  private static let slow: OriginScript = [
    .readBody, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .send("hi"),
  ]

  private static func request(_ path: String, scheme: String = "https") -> HTTPRequest {
    HTTPRequest(url: "\(scheme)://h\(path)")
  }

  @Test(arguments: [("https", 1), ("http", 2)])
  func `requests share a connection only over TLS`(_ scheme: String, _ count: Int) async throws {
    let fake = Self.fake { _ in Self.slow }
    let first = try await fake.send(Self.request("/1", scheme: scheme))
    let second = try await fake.send(Self.request("/2", scheme: scheme))
    for exchange in [first, second] { _ = try await exchange.body.collect(upTo: 9) }
    #expect(fake.connectionCount == count)
  }

  @Test func `a failed connection attempt fails each request separately`() async throws {
    let fake = FakeTransport(
      OriginPlan(identity: .expired, version: .http2) { _ in .respond(text: "hi") })
    await withTaskGroup { group in
      for _ in 1...5 {
        group.addTask { await Outcome(of: fake, Self.request("/")).error?.kind }
      }
      for await kind in group { #expect(kind == .tls(.certificateExpired)) }
    }
    #expect(fake.events == [])
    #expect(fake.connectionCount == 0)
  }

  @Test func `GOAWAY closes the connection once the last stream on it has ended`() async throws {
    let fake = Self.fake { request in
      request.target == "/leave"
        ? [.goAway(isProcessed: true)] + .respond() : Self.slow
    }
    let before = try await fake.send(Self.request("/before"))
    #expect(await Outcome(of: fake, Self.request("/leave")).status == 200)
    #expect(fake.events.contains(.closed(1, by: .origin)) == false)
    #expect(try await before.body.collect(upTo: 9) == Array("hi".utf8))
    #expect(fake.events.last == .closed(1, by: .origin))
    #expect(await Outcome(of: fake, Self.request("/after")).status == 200)
    #expect(fake.requests.map(\.head.connection) == [1, 1, 2])
  }

  @Test func `GOAWAY ends no request of another connection`() async throws {
    let fake = Self.fake { request in
      request.target == "/leave" ? [.goAway(isProcessed: true)] + .respond() : Self.slow
    }
    let url = "https://other/"
    for _ in 1...3 { _ = try await fake.send(HTTPRequest(url: url)).body.collect(upTo: 9) }
    let other = try await fake.send(HTTPRequest(url: url))
    #expect(await Outcome(of: fake, Self.request("/leave")).status == 200)
    #expect(try await other.body.collect(upTo: 9) == Array("hi".utf8))
  }

  @Test(arguments: [7, 8] as [UInt32])
  func `a stream that the origin resets leaves the connection as it is`(_ code: UInt32) async {
    let fake = Self.fake { request in
      request.target == "/reset" ? [.resetStream(code)] : .respond()
    }
    #expect(await Outcome(of: fake, Self.request("/reset")).error != nil)
    #expect(await Outcome(of: fake, Self.request("/")).status == 200)
    #expect(fake.requests.map(\.head.connection) == [1, 1])
    #expect(!fake.events.contains(.streamReset(1)))
  }

  @Test func `an HTTP/2 connection plays no script before its first request`() async {
    let asked = Mutex(0)
    let fake = FakeTransport(
      OriginPlan(
        version: .http2,
        onConnect: { _ in
          asked.withLock { $0 += 1 }
          return [.close]
        }, onRequest: { _ in .respond() }))
    #expect(await Outcome(of: fake, Self.request("/")).status == 200)
    #expect(asked.withLock { $0 } == 0)
  }
}
