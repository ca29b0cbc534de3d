import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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

  @Test func `a bypassed host that refuses is not the proxy's failure`() async throws {
    let proxy = try ScriptedOrigin(.respond())
    let world = try CurlWorld(OriginPlan(reachability: .refusing) { _ in [] }) {
      $0.proxy = .url(proxy.url, bypassing: ["127.0.0.1"])
    }
    #expect(try await world.failure().kind == .connectionRefused)
  }

  @Test func `the environment names the proxies when it is asked, and not otherwise`()
    async throws
  {
    let proxy = try ScriptedOrigin(
      OriginPlan { _ in .respond(text: "proxied") },
      tunnels: { $0.headerFields[.proxyAuthorization] == "Basic dTpw" })
    let plain = try ScriptedOrigin(.respond(text: "straight"))
    let secure = try ScriptedOrigin(.respond(text: "secret"), scheme: .https)
    let (gate, address) = ("http://u:p@127.0.0.1:\(proxy.port)", "127.0.0.1:\(plain.port)")
    let (url, authorities) = (secure.url, try ScriptedOrigin.trustedAuthority)
    // A process of its own, since the environment is one for all.
    await #expect(processExitsWith: .success) {
      [
        gate = gate as String, address = address as String, url = url as String,
        authorities = authorities as String
      ] in
      setenv("http_proxy", gate, 1)
      setenv("https_proxy", gate, 1)
      setenv("no_proxy", "localhost,.near.invalid", 1)
      var configuration = CurlTransport.Configuration()
      configuration.authorities = .pem(authorities)
      let deaf = HTTPClient(transport: try CurlTransport(configuration))
      #expect(try await deaf.get("http://\(address)/").text == "straight")
      #expect(try await deaf.get(url).text == "secret")
      configuration.proxy = .environment
      let client = HTTPClient(transport: try CurlTransport(configuration))
      #expect(try await client.get("http://\(address)/").text == "proxied")
      #expect(try await client.get("http://far.invalid/").text == "proxied")
      #expect(try await client.get(url).text == "secret")
      let near = address.replacing("127.0.0.1", with: "localhost")
      #expect(try await client.get("http://\(near)/").text == "straight")
    }
    #expect(
      proxy.log.requests.map(\.head.target) == [
        "http://\(address)/", "http://far.invalid/", "127.0.0.1:\(secure.port)",
      ])
    #expect(secure.log.requests.count == 2)
    #expect(plain.log.requests.count == 2)
  }

  @Test func `a proxy of the environment that is not there is its own error`() async throws {
    let gone = try ScriptedOrigin(OriginPlan(reachability: .refusing) { _ in [] })
    let gate = gone.url
    await #expect(processExitsWith: .success) { [gate = gate as String] in
      setenv("http_proxy", gate, 1)
      var configuration = CurlTransport.Configuration()
      configuration.proxy = .environment
      let client = HTTPClient(transport: try CurlTransport(configuration))
      let error = await #expect(throws: TransportError.self) {
        try await client.get("http://far.invalid/")
      }
      #expect(error?.kind == .proxyFailed)
    }
  }
}
