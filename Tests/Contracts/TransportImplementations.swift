import ContractTesting
import Testing
import TransportContract
import TransportCurlAdapter

extension Implementation<TransportFixture> {
  static let fakeTransport = fake("fake") { TransportFixture.fake(in: $0) }

  static let curl = live("curl") { curl($0, .scripted) }

  /// The same, with a server of HTTP/2 that isn't ours.
  static let curlWithNghttpd = live("curl-nghttpd") { curl($0, .nghttpd) }
    .lacking(.scriptedServer, because: "nghttpd serves files and sends back uploads")
    .available(when: "nghttpd is in the PATH") { HTTP2Server.isNghttpdInstalled }

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
