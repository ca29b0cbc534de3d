import ScriptedOrigin
import TransportPort

/// A scripted server: on a socket for a live transport, in memory for the fake.
struct TransportPeer: Sendable {
  /// Whether a proxy opens a tunnel for a CONNECT request.
  typealias Tunnels = @Sendable (OriginRequest) -> Bool

  /// Scheme, host and port; a path can follow.
  let url: String

  /// The port.
  let port: Int

  /// What reached it.
  let log: PeerLog

  /// The peer in memory, where it is one.
  let played: PlayedPeer?

  /// A peer on a socket.
  init(_ origin: ScriptedOrigin) {
    url = origin.url
    port = origin.port
    log = PeerLog(origin.log)
    played = nil
  }

  /// A server that isn't ours.
  init(_ origin: NghttpdOrigin) {
    url = origin.url
    port = origin.port
    log = PeerLog(origin.log)
    played = nil
  }

  /// A peer in memory.
  init(
    playing plan: OriginPlan, scheme: HTTPOrigin.Scheme, tunnels: @escaping Tunnels, flaws: Flaws
  ) {
    var plan = plan
    let onRequest = plan.onRequest
    plan.onRequest = { head in
      head.method == .connect && tunnels(head) ? [.send("HTTP/1.1 200 \r\n\r\n")] : onRequest(head)
    }
    let peer = PlayedPeer(flaws.plan(plan))
    url = "\(scheme.rawValue)://127.0.0.1:\(peer.port)"
    port = peer.port
    log = PeerLog(peer, flaws: flaws)
    played = peer
  }
}
