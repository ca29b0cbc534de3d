import Foundation
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlProxyTests {
  @Test func `an http request goes to the proxy with its absolute URL`() async throws {
    let proxy = try ScriptedOrigin(.respond(text: "from the proxy"))
    let world = try CurlWorld(.respond()) { $0.proxy = .url(proxy.url) }
    #expect(try await world.answer(.get, "/a/../b?c").text == "from the proxy")
    #expect(proxy.log.requests.first?.head.target == "\(world.origin.url)/a/../b?c")
    #expect(world.log.connectionCount == 0)
  }

  @Test func `a bypassed host is reached directly`() async throws {
    let proxy = try ScriptedOrigin(.respond(text: "from the proxy"))
    let world = try CurlWorld(.respond(text: "direct")) {
      $0.proxy = .url(proxy.url, bypassing: ["127.0.0.1"])
    }
    #expect(try await world.answer().text == "direct")
    #expect(proxy.log.connectionCount == 0)
  }

  @Test func `the proxy of a TLS tunnel receives no field of the request`()
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
  func `a refused tunnel has its own error`(
    _ status: Int, _ kind: TransportError.Kind
  ) async throws {
    let proxy = try ScriptedOrigin(.respond(status))
    let world = try CurlWorld(.respond(), scheme: .https) { $0.proxy = .url(proxy.url) }
    let error = try await world.failure(.post, body: .text("x"))
    #expect(error.kind == kind, "\(error)")
    #expect(!error.bytesSent)
    #expect(world.log.connectionCount == 0)
  }

  @Test func `an unreachable proxy has its own error`() async throws {
    let proxy = try ScriptedOrigin(OriginPlan(reachability: .refusing) { _ in [] })
    let world = try CurlWorld(.respond()) { $0.proxy = .url(proxy.url) }
    #expect(try await world.failure().kind == .proxyFailed)
  }

  @Test func `a refused connection to a bypassed host is not a proxy error`() async throws {
    let proxy = try ScriptedOrigin(.respond())
    let world = try CurlWorld(OriginPlan(reachability: .refusing) { _ in [] }) {
      $0.proxy = .url(proxy.url, bypassing: ["127.0.0.1"])
    }
    #expect(try await world.failure().kind == .connectionRefused)
  }

  @Test func `the proxies of the environment are used only on request`()
    async throws
  {
    let proxy = try ScriptedOrigin(
      OriginPlan { _ in .respond(text: "proxied") },
      tunnels: { $0.headerFields[.proxyAuthorization] == "Basic dTpw" })
    let plain = try ScriptedOrigin(.respond(text: "direct"))
    let secure = try ScriptedOrigin(.respond(text: "secret"), scheme: .https)
    let (proxyURL, address) = ("http://u:p@127.0.0.1:\(proxy.port)", "127.0.0.1:\(plain.port)")
    let (url, authorities) = (secure.url, try ScriptedOrigin.trustedAuthority)
    // A separate process, because all tests of a process share its environment.
    await #expect(processExitsWith: .success) {
      [
        proxyURL = proxyURL as String, address = address as String, url = url as String,
        authorities = authorities as String
      ] in
      setenv("http_proxy", proxyURL, 1)
      setenv("https_proxy", proxyURL, 1)
      setenv("no_proxy", "localhost,.near.invalid", 1)
      var configuration = CurlTransport.Configuration()
      configuration.authorities = .pem(authorities)
      let direct = HTTPClient(transport: try CurlTransport(configuration))
      #expect(try await direct.get("http://\(address)/").text == "direct")
      #expect(try await direct.get(url).text == "secret")
      configuration.proxy = .environment
      let client = HTTPClient(transport: try CurlTransport(configuration))
      #expect(try await client.get("http://\(address)/").text == "proxied")
      #expect(try await client.get("http://far.invalid/").text == "proxied")
      #expect(try await client.get(url).text == "secret")
      let near = address.replacing("127.0.0.1", with: "localhost")
      #expect(try await client.get("http://\(near)/").text == "direct")
    }
    #expect(
      proxy.log.requests.map(\.head.target) == [
        "http://\(address)/", "http://far.invalid/", "127.0.0.1:\(secure.port)",
      ])
    #expect(secure.log.requests.count == 2)
    #expect(plain.log.requests.count == 2)
  }

  @Test func `an unreachable proxy of the environment has its own error`() async throws {
    let gone = try ScriptedOrigin(OriginPlan(reachability: .refusing) { _ in [] })
    let proxyURL = gone.url
    await #expect(processExitsWith: .success) { [proxyURL = proxyURL as String] in
      setenv("http_proxy", proxyURL, 1)
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
