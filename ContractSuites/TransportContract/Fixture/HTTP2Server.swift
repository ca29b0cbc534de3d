import ContractTesting
import ScriptedOrigin

/// The server of HTTP/2 that a live transport meets.
public enum HTTP2Server: Sendable, Hashable {
  /// The one of this project, which does what a clause tells it.
  case scripted

  /// nghttpd of the nghttp2 project: nothing to tell it, but nobody here has written it.
  ///
  /// Implementations that use it lack ``ContractTesting/Capability/scriptedServer``, and are
  /// available where ``isNghttpdInstalled``.
  case nghttpd

  /// Whether nghttpd is in the `PATH`; on Debian it is in the package nghttp2-server.
  public static var isNghttpdInstalled: Bool { NghttpdOrigin.installed != nil }

  /// How to start the server; `nil` where it is a peer like any other.
  func starting(in scope: FixtureScope) -> (@Sendable () async throws -> TransportPeer)? {
    switch self {
    case .scripted: nil
    case .nghttpd:
      {
        guard let program = NghttpdOrigin.installed else {
          throw NghttpdOrigin.Failure(description: "nghttpd is not in the PATH")
        }
        let origin = try NghttpdOrigin(program: program, folder: scope.temporaryDirectory())
        scope.onTearDown { origin.close() }
        return TransportPeer(origin)
      }
    }
  }
}
