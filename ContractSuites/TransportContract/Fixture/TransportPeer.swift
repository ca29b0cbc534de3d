import ScriptedOrigin
import TransportPort

/// A scripted server: on a socket for a live transport, in memory for the fake.
struct TransportPeer: Sendable {
  /// Returns whether a proxy opens a tunnel for a CONNECT request.
  typealias Tunnels = @Sendable (OriginRequest) -> Bool

  /// The scheme, host and port; append a path.
  let url: String

  /// The port.
  let port: Int

  /// The requests and connections that reached the server.
  let log: PeerLog

  /// The server in memory; `nil` for one on a socket.
  let inMemory: InMemoryPeer?

  /// A scripted server on a socket.
  init(_ origin: ScriptedOrigin) {
    url = origin.url
    port = origin.port
    log = PeerLog(origin.log)
    inMemory = nil
  }

  /// An nghttpd process.
  init(_ origin: NghttpdOrigin) {
    url = origin.url
    port = origin.port
    log = PeerLog(origin.log)
    inMemory = nil
  }

  /// A server in memory.
  init(
    playing plan: OriginPlan, scheme: HTTPOrigin.Scheme, tunnels: @escaping Tunnels,
    flaws: TransportFlaws
  ) {
    var plan = plan
    let onRequest = plan.onRequest
    plan.onRequest = { head in
      head.method == .connect && tunnels(head) ? [.send("HTTP/1.1 200 \r\n\r\n")] : onRequest(head)
    }
    let peer = InMemoryPeer(flaws.plan(plan))
    url = "\(scheme.rawValue)://127.0.0.1:\(peer.port)"
    port = peer.port
    log = PeerLog(peer, flaws: flaws)
    inMemory = peer
  }
}
