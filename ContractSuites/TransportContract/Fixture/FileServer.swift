public import ContractTesting
public import Foundation
public import ScriptedOrigin
public import TransportPort

/// The server of `Contract.transportFiles`. It only needs to serve files.
public struct FileServer: Sendable {
  /// Starts the server for a folder; `nil` for the scripted one.
  let start: (@Sendable (URL, FixtureScope) async throws -> TransportPeer)?

  /// Whether the server's own log shows the requests.
  private(set) var hasLog = false

  /// Creates a server.
  ///
  /// - Parameter start: Starts a server for the files of a folder, registers its end with the scope's
  ///   `onTearDown`, and returns it. The server responds to GET and HEAD with the file that the path
  ///   names, and with 404 if there is none. Over `https` it has a certificate that
  ///   `ScriptedOrigin.trustedAuthority` signed.
  public init(
    starting start: @escaping @Sendable (_ folder: URL, FixtureScope) async throws -> TransportPeer
  ) {
    self.start = start
  }

  private init() { start = nil }

  /// The scripted origin of this package, over HTTP/1.1.
  public static let scripted = FileServer()

  /// A server of another project.
  ///
  /// - Parameters:
  ///   - program: The program. Make the implementation available when its `path` is not `nil`.
  ///   - scheme: `https` for HTTP/2 and, with transports that don't offer it, HTTP/1.1 over TLS.
  ///   - requestsPerConnection: The number of requests after which the server ends a connection;
  ///     `nil` for its default. Only nginx obeys it.
  public static func foreign(
    _ program: ForeignServer.Program, _ scheme: HTTPOrigin.Scheme = .https,
    requestsPerConnection: Int? = nil
  ) -> FileServer {
    var files = FileServer { folder, scope in
      let server = try await ForeignServer(
        program, .serving(folder, scheme), in: scope.temporaryDirectory(),
        requestsPerConnection: requestsPerConnection, logsRequests: true)
      scope.onTearDown { server.close() }
      var peer = TransportPeer(url: server.url, port: server.port)
      peer.serverLog = server.output
      return peer
    }
    files.hasLog = true
    return files
  }
}
