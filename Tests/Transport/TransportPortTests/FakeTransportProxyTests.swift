import Testing

@testable import TransportPort

@Suite struct FakeTransportProxyTests {
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
    let proxy = FakeTransport { _ in .respond(502) }
    let fake = FakeTransport(
      OriginPlan { _ in .respond(text: "direct") }, proxy: .init(proxy, bypassing: ["h"]))
    #expect(await Outcome(of: fake, HTTPRequest(url: "\(scheme)://h/")).body.text == "direct")
    #expect(proxy.requests.isEmpty)
  }

  /// A tunnel to a proxy is not secured, and neither is a plain origin.
  @Test func `only the handshake with an https origin can fail`() async throws {
    let insecure = OriginPlan(identity: .expired) { _ in .respond() }
    let proxy = FakeTransport.Proxy(FakeTransport(insecure))
    let tunnelled = FakeTransport(OriginPlan { _ in .respond() }, proxy: proxy)
    #expect(await Outcome(of: tunnelled, HTTPRequest(url: "https://h/")).status == 200)
    let plain = FakeTransport(insecure)
    #expect(await Outcome(of: plain, HTTPRequest(url: "http://h/")).status == 200)
    #expect(
      await Outcome(of: plain, HTTPRequest(url: "https://h/")).error?.kind
        == .tls(.certificateExpired))
  }
}
