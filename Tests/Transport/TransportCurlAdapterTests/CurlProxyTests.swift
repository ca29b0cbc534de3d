import Foundation
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlProxyTests {
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

  @Test func `a proxy whose name does not resolve fails while resolving`() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .url("http://nowhere.invalid:8080")
    let transport = try CurlTransport(configuration)
    let error = await #expect(throws: TransportError.self) {
      try await transport.send(HTTPRequest(url: "https://127.0.0.1/"))
    }
    #expect(error?.kind == .proxyFailed)
    #expect(error?.phase == .resolving)
  }
}
