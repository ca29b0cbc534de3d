public import ContractTesting
import ScriptedOrigin

/// The HTTP/2 server that a live transport connects to in `Contract.transportHTTP2`.
public struct HTTP2Server: Sendable {
  /// Starts the server; `nil` for the scripted one, which needs the plan of each clause.
  let start: (@Sendable (FixtureScope) async throws -> TransportPeer)?

  /// Creates a server that can't be scripted.
  ///
  /// An implementation that uses it lacks `Capability.scriptedServer`.
  ///
  /// - Parameter start: Starts the server, registers its end with the scope's `onTearDown`, and
  ///   returns it. The server speaks HTTP/2 with a certificate that
  ///   `ScriptedOrigin.trustedAuthority` signed. It returns the content of each upload, followed by
  ///   the trailer field `X-End: yes`, and 404 for other requests. Its log has every request,
  ///   connection and reset stream.
  public init(starting start: @escaping @Sendable (FixtureScope) async throws -> TransportPeer) {
    self.start = start
  }

  private init() { start = nil }

  /// The scripted origin of this package, which plays the plan of each clause.
  public static let scripted = HTTP2Server()

  /// nghttpd of the nghttp2 project: an independent server, which can't be scripted.
  ///
  /// An implementation that uses it is available if ``isNghttpdInstalled`` is `true`.
  public static let nghttpd = HTTP2Server { scope in
    let origin = try NghttpdOrigin(folder: scope.temporaryDirectory())
    scope.onTearDown { origin.close() }
    return TransportPeer(url: origin.url, port: origin.port, log: PeerLog(origin.log))
  }

  /// Whether nghttpd is installed. Debian has it in the package nghttp2-server.
  public static var isNghttpdInstalled: Bool { ForeignServer.Program.nghttpd.path != nil }
}
