import ContractTesting
import Testing
import TransportContract
import TransportCurlAdapter

extension Implementation<TransportFixture> {
  static let fakeTransport = fake("fake") { TransportFixture.fake(in: $0) }

  static let curl = live("curl") { curl($0, .scripted) }.deviatingByLibcurl()

  /// The same; none of its deviations is a clause of HTTP/2.
  static let curlOverHTTP2 = live("curl") { curl($0, .scripted) }

  /// The same, with a server of HTTP/2 that isn't ours.
  static let curlWithNghttpd = live("curl-nghttpd") { curl($0, .nghttpd) }
    .lacking(.scriptedServer, because: "nghttpd serves files and sends back uploads")
    .available(when: "nghttpd is in the PATH") { HTTP2Server.isNghttpdInstalled }

  private static func curl(_ scope: FixtureScope, _ server: HTTP2Server) -> TransportFixture {
    TransportFixture(
      in: scope, shuttingDown: { (transport: CurlTransport) in await transport.shutDown() },
      server: server, { try CurlTransport(configuration($0)) })
  }

  /// What this process's libcurl does otherwise than 7.88.
  private func deviatingByLibcurl() -> Self {
    let library = CurlLibrary.current
    var deviating = self
    if !library.abandonsLookups {
      deviating = deviating.deviating(
        from: "slow-name", kind: .unsupported,
        because: "libcurl before 7.87 waits for a lookup that was given up")
    }
    if library.maximumFieldLength != nil {
      deviating = deviating.deviating(
        from: "request-head-limit", kind: .unsupported,
        because: "libcurl after 8.5 leaves out fields of more than 300 KiB, so they are refused")
    }
    if !library.tracesDiscardedContent {
      deviating = deviating.deviating(
        from: "expectation-content", kind: .unsupported,
        because: "libcurl after 8.5 discards the content of 417 and shows it nowhere")
    }
    return deviating
  }

  private static func configuration(_ setup: TransportSetup) -> CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    configuration.limits = setup.limits
    if let trusted = setup.trustedAuthorities { configuration.authorities = .pem(trusted) }
    if let proxy = setup.proxy { configuration.proxy = .url(proxy, bypassing: setup.proxyBypass) }
    return configuration
  }
}
