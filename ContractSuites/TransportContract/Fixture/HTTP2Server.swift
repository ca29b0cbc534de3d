import ContractTesting
import ScriptedOrigin

/// The HTTP/2 server that a live transport connects to.
public enum HTTP2Server: Sendable, Hashable {
  /// The scripted origin of this package, which plays the plan of each clause.
  case scripted

  /// nghttpd of the nghttp2 project: an independent server, which can't be scripted.
  ///
  /// An implementation that uses it lacks `Capability.scriptedServer`, and is
  /// available if ``isNghttpdInstalled`` is `true`.
  case nghttpd

  /// Whether nghttpd is in `PATH`. Debian has it in the package nghttp2-server.
  public static var isNghttpdInstalled: Bool { NghttpdOrigin.installed != nil }

  /// Returns a function that starts the server; `nil` for the scripted one, which needs a plan.
  func starting(in scope: FixtureScope) -> (@Sendable () async throws -> TransportPeer)? {
    switch self {
    case .scripted: nil
    case .nghttpd:
      {
        guard let program = NghttpdOrigin.installed else {
          throw NghttpdOrigin.Failure(
            description: "nghttpd not found in PATH; install nghttp2-server")
        }
        let origin = try NghttpdOrigin(program: program, folder: scope.temporaryDirectory())
        scope.onTearDown { origin.close() }
        return TransportPeer(origin)
      }
    }
  }
}
