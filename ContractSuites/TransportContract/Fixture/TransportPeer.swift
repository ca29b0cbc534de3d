import Foundation
public import ScriptedOrigin
public import TransportPort

/// A server that a transport under test connects to: on a socket, or in memory for the fake.
public struct TransportPeer: Sendable {
  /// Returns whether a proxy opens a tunnel for a CONNECT request.
  public typealias Tunnels = @Sendable (OriginRequest) -> Bool

  /// The scheme, host and port; append a path.
  public let url: String

  /// The port.
  public let port: Int

  /// The requests and connections that reached the server.
  public let log: PeerLog

  /// The file that the server of another project logs requests to, or `nil`.
  var serverLog: URL?

  /// The server in memory; `nil` for one on a socket.
  let inMemory: InMemoryPeer?

  /// Creates a peer for a server on a socket.
  ///
  /// - Parameters:
  ///   - url: The scheme, host and port: `https://127.0.0.1:40123`.
  ///   - port: The port in the URL.
  ///   - log: What reached the server; by default unknown, which is enough for
  ///     `Contract.transportFiles`.
  public init(url: String, port: Int, log: PeerLog = .unknown) {
    self.url = url
    self.port = port
    self.log = log
    inMemory = nil
  }

  /// Creates a peer for a scripted server on a socket.
  public init(_ origin: ScriptedOrigin) {
    self.init(url: origin.url, port: origin.port, log: PeerLog(origin.log))
  }

  /// A server in memory.
  init(
    playing plan: OriginPlan, scheme: HTTPOrigin.Scheme, tunnels: @escaping Tunnels
  ) {
    var plan = plan
    let onRequest = plan.onRequest
    plan.onRequest = { head in
      head.method == .connect && tunnels(head) ? [.send("HTTP/1.1 200 \r\n\r\n")] : onRequest(head)
    }
    let peer = InMemoryPeer(plan)
    url = "\(scheme.rawValue)://127.0.0.1:\(peer.port)"
    port = peer.port
    log = PeerLog(peer)
    inMemory = peer
  }
}
