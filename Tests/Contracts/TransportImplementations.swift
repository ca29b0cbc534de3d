import ContractTesting
import ScriptedOrigin
import Testing
import TransportContract
import TransportCurlAdapter
import TransportPort

extension Implementation<TransportFixture> {
  /// The fake for the contract that any server can serve, which requires no capability.
  static let fakeWithAnyServer: Self = fake("fake") { TransportFixture.fake(in: $0) }

  static let fakeTransport =
    fakeWithAnyServer
    .lacking(.localPorts, because: "connections in memory have no ports")

  static let curl: Self = live("curl") { curl($0, .scripted) }
    .version { _ in AdaptedVersion.curl }
    .deviatingByLibcurl()

  /// ``curl`` without the deviations; all of them are from clauses of HTTP/1.1.
  static let curlOverHTTP2: Self = live("curl") { curl($0, .scripted) }
    .version { _ in AdaptedVersion.curl }

  /// The curl adapter with nghttpd as its HTTP/2 server.
  static let curlWithNghttpd: Self = live("curl-nghttpd") { curl($0, .nghttpd) }
    .version { _ in try AdaptedVersion.curl(with: .nghttpd) }
    .lacking(.scriptedServer, because: "nghttpd only serves files and returns uploads")
    .available(when: "nghttpd is in PATH (package nghttp2-server)") {
      HTTP2Server.isNghttpdInstalled
    }

  /// The curl adapter with servers of other projects.
  ///
  /// The second nginx ends each connection after 20 requests, with GOAWAY over HTTP/2.
  static let curlWithForeignServers: [Implementation] =
    ForeignServer.Program.inMatrix.map { foreignCurl($0, .https) }
    + [
      foreignCurl(.nginx, .http), foreignCurl(.haproxy, .http),
      foreignCurl(.nginx, .https, requestsPerConnection: 20),
    ]

  private static func foreignCurl(
    _ program: ForeignServer.Program, _ scheme: HTTPOrigin.Scheme,
    requestsPerConnection: Int? = nil
  ) -> Implementation {
    let limit = requestsPerConnection.map { "-\($0)" } ?? ""
    return live("curl-\(program.rawValue)-\(scheme.rawValue)\(limit)") { scope in
      curl(
        scope, .scripted,
        .foreign(program, scheme, requestsPerConnection: requestsPerConnection))
    }
    .version { _ in try AdaptedVersion.curl(with: program) }
    .available(when: "\(program.rawValue) is installed (apt-get install \(program.package))") {
      program.path != nil
    }
  }

  private static func curl(
    _ scope: FixtureScope, _ server: HTTP2Server, _ fileServer: FileServer = .scripted
  ) -> TransportFixture {
    TransportFixture(
      in: scope, shuttingDown: { (transport: CurlTransport) in await transport.shutDown() },
      server: server, fileServer: fileServer, { try CurlTransport(configuration($0)) })
  }

  /// The clauses that depend on the version of libcurl.
  ///
  /// - Parameter hasConnections: Whether the clauses that need a connection apply.
  func deviatingByLibcurl(hasConnections: Bool = true) -> Self {
    let library = CurlLibrary.current
    var deviating = self.deviating(
      from: "minor-version", kind: .unsupported,
      because: "libcurl rejects a minor version above 1 before it calls the adapter")
    if hasConnections, !library.abandonsLookups {
      deviating = deviating.deviating(
        from: "slow-name", kind: .unsupported,
        because: "libcurl before 7.87 waits for the lookup of a cancelled exchange")
    }
    if library.maximumFieldLength != nil {
      deviating = deviating.deviating(
        from: "request-head-limit", kind: .unsupported,
        because: "libcurl after 8.5 omits fields of more than 300 KiB, so the adapter rejects them")
    }
    if !library.tracesDiscardedContent {
      deviating = deviating.deviating(
        from: "expectation-content", kind: .unsupported,
        because: "libcurl after 8.5 discards the content of a 417 response and does not trace it")
    }
    if library.joinsFoldedFields {
      deviating = deviating.deviating(
        from: "folded-framing", kind: .unsupported,
        because: "libcurl after 8.14 joins the lines of a folded field before it calls the adapter"
      )
      .deviating(
        from: "conflicting-lengths", kind: .unsupported,
        because: "libcurl after 8.14 reports different lengths itself, as an invalid one")
      if hasConnections {
        deviating = deviating.deviating(
          from: "bad-head-held", kind: .unsupported, by: .timingOut(after: .seconds(2)),
          because: "libcurl after 8.14 waits for the next line, which may continue a folded field")
      }
    }
    return deviating
  }

  static func configuration(_ setup: TransportSetup) -> CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    configuration.limits = setup.limits
    configuration.localPorts = setup.localPorts
    if let trusted = setup.trustedAuthorities { configuration.authorities = .pem(trusted) }
    if let proxy = setup.proxy { configuration.proxy = .url(proxy, bypassing: setup.proxyBypass) }
    return configuration
  }
}
