import ContractTesting
import Testing
import TransportContract
import TransportCurlAdapter

extension Implementation<TransportFixture> {
  static let fakeTransport = fake("fake") { TransportFixture.fake(in: $0) }

  static let curl = live("curl") { curl($0, .scripted) }

  /// The curl adapter with nghttpd as its HTTP/2 server.
  static let curlWithNghttpd = live("curl-nghttpd") { curl($0, .nghttpd) }
    .lacking(.scriptedServer, because: "nghttpd only serves files and returns uploads")
    .available(when: "nghttpd is in PATH (package nghttp2-server)") {
      HTTP2Server.isNghttpdInstalled
    }

  private static func curl(_ scope: FixtureScope, _ server: HTTP2Server) -> TransportFixture {
    TransportFixture(
      in: scope, shuttingDown: { (transport: CurlTransport) in await transport.shutDown() },
      server: server, { try CurlTransport(configuration($0)) })
  }

  private static func configuration(_ setup: TransportSetup) -> CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    configuration.limits = setup.limits
    if let trusted = setup.trustedAuthorities { configuration.authorities = .pem(trusted) }
    if let proxy = setup.proxy { configuration.proxy = .url(proxy, bypassing: setup.proxyBypass) }
    return configuration
  }
}
