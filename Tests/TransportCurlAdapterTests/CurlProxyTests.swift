import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlProxyTests {
  @Test func `a plain request goes to the proxy with its whole URL`() async throws {
    let proxy = try ScriptedOrigin(.respond(text: "from the proxy"))
    let world = try CurlWorld(.respond()) { $0.proxy = .url(proxy.url) }
    #expect(try await world.answer(.get, "/a/../b?c").text == "from the proxy")
    #expect(proxy.log.requests.first?.head.target == "\(world.origin.url)/a/../b?c")
    #expect(world.log.connectionCount == 0)
  }

  @Test func `a bypassed host is reached straight`() async throws {
    let proxy = try ScriptedOrigin(.respond(text: "from the proxy"))
    let world = try CurlWorld(.respond(text: "straight")) {
      $0.proxy = .url(proxy.url, bypassing: ["127.0.0.1"])
    }
    #expect(try await world.answer().text == "straight")
    #expect(proxy.log.connectionCount == 0)
  }

  @Test func `a tunnel carries TLS, and no field of the request is shown to the proxy`()
    async throws
  {
    let proxy = try ScriptedOrigin(
      OriginPlan { _ in .respond(407, headerFields: ["Proxy-Authenticate": "Basic realm=x"]) },
      tunnels: { $0.headerFields[.proxyAuthorization] == "Basic dTpw" })
    let world = try CurlWorld(.respond(text: "hi"), scheme: .https) {
      $0.proxy = .url("http://u:p@127.0.0.1:\(proxy.port)")
    }
    #expect(try await world.answer(.get, "/", ["Authorization": "secret"]).text == "hi")
    #expect(proxy.log.requests.first?.head.headerFields.contains(.authorization) == false)
    #expect(world.log.requests.first?.head.headerFields[.authorization] == "secret")
    #expect(world.log.requests.first?.head.headerFields.contains(.proxyAuthorization) == false)
  }

  @Test(arguments: [
    (407, TransportError.Kind.proxyAuthenticationRequired), (403, .proxyFailed),
    (502, .proxyFailed),
  ])
  func `a refused tunnel is its own error`(
    _ status: Int, _ kind: TransportError.Kind
  ) async throws {
    let proxy = try ScriptedOrigin(.respond(status))
    let world = try CurlWorld(.respond(), scheme: .https) { $0.proxy = .url(proxy.url) }
    let error = try await world.failure(.post, body: .text("x"))
    #expect(error.kind == kind, "\(error)")
    #expect(!error.bytesSent)
    #expect(world.log.connectionCount == 0)
  }

  @Test func `a proxy that is not there is its own error`() async throws {
    let proxy = try ScriptedOrigin(OriginPlan(reachability: .refusing) { _ in [] })
    let world = try CurlWorld(.respond()) { $0.proxy = .url(proxy.url) }
    #expect(try await world.failure().kind == .proxyFailed)
  }
}
