import Testing
@testable import TransportPort

@Suite struct FakeTransportProxyTests {
  private let origin = OriginPlan { _ in .respond(text: "direct") }

  private func fake(
    bypassing: [String] = [], _ answer: @escaping @Sendable (OriginRequest) -> OriginScript
  ) -> FakeTransport {
    FakeTransport(
      origin,
      proxy: .init(
        FakeTransport(answering: answer), authorization: "Basic dTpw", bypassing: bypassing))
  }

  @Test func `the proxy answers an http request`() async throws {
    let fake = fake { _ in .respond(text: "proxied") }
    let outcome = await Outcome(of: fake, HTTPRequest(url: "http://h/a?b"))
    #expect(outcome.body.text == "proxied")
    let seen = try #require(fake.proxy?.transport.requests.first)
    #expect(seen.head.target == "http://h/a?b")
    #expect(seen.head.headerFields[.proxyAuthorization] == "Basic dTpw")
    #expect(fake.requests.isEmpty)
  }

  @Test func `a tunnel serves all requests of its connection`() async throws {
    let fake = fake { _ in [.send("HTTP/1.1 200 \r\n\r\n")] }
    for _ in 1...3 {
      let outcome = await Outcome(of: fake, HTTPRequest(url: "https://h/"))
      #expect(outcome.body.text == "direct")
    }
    let proxy = try #require(fake.proxy?.transport)
    #expect(proxy.requests.map(\.head.target) == ["h:443"])
    #expect(proxy.connectionCount == 1)
    #expect(fake.requests.allSatisfy { !$0.head.headerFields.contains(.proxyAuthorization) })
    fake.shutDown()
    #expect(proxy.connectionCount == 0)
  }

  @Test(arguments: [
    (407, TransportError.Kind.proxyAuthenticationRequired), (403, .proxyFailed),
    (502, .proxyFailed),
  ])
  func `a refused tunnel has its own error`(
    _ status: Int, _ kind: TransportError.Kind
  ) async throws {
    let fake = fake { _ in .respond(status) }
    let error = await Outcome(of: fake, HTTPRequest(method: .post, url: "https://h/")).error
    #expect(error?.kind == kind)
    #expect(error?.bytesSent == false)
    #expect(fake.requests.isEmpty)
    #expect(fake.connectionCount == 0)
  }

  @Test func `the end of a cancelled tunnel is no failure of the proxy`() async throws {
    let proxy = FakeTransport.Proxy(FakeTransport { _ in [.stall] })
    let wire = try WireRequest(HTTPRequest(url: "https://h/"), body: .none)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await #expect(throws: TransportError.self) { _ = try await proxy.tunnel(for: wire) }
    }
    #expect(await task.value?.kind == .cancelled)
  }

  @Test(arguments: ["http", "https"])
  func `a bypassed host is reached directly`(_ scheme: String) async throws {
    let fake = fake(bypassing: ["h"]) { _ in .respond(502) }
    #expect(await Outcome(of: fake, HTTPRequest(url: "\(scheme)://h/")).body.text == "direct")
    #expect(fake.proxy?.transport.requests.isEmpty == true)
  }

  @Test func `an unreachable proxy has its own error`() async throws {
    let fake = FakeTransport(
      origin,
      proxy: .init(FakeTransport(OriginPlan(reachability: .refusing) { _ in [] })))
    #expect(await Outcome(of: fake, HTTPRequest(url: "https://h/")).error?.kind == .proxyFailed)
    #expect(await Outcome(of: fake, HTTPRequest(url: "http://h/")).error?.kind == .proxyFailed)
  }
}
