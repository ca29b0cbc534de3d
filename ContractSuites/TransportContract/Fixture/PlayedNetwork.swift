import ContractLocks
import TransportPort

/// A peer in memory: a plan, and the fake that plays it once a transport was opened.
final class PlayedPeer: Sendable {
  private static let lastPort = Counter()

  /// The port that tells it from other peers.
  let port: Int
  private let plan: OriginPlan
  private let player = Mutex<FakeTransport?>(nil)

  init(_ plan: OriginPlan) {
    port = 20_000 + Self.lastPort.increment() % 40_000
    self.plan = plan
  }

  /// Begins to play.
  func open(_ limits: ConnectionLimits) -> FakeTransport {
    let made = FakeTransport(plan, limits: limits, recordedBodyLimit: 4 << 20)
    player.withLock { $0 = made }
    return made
  }

  private var playing: FakeTransport? { player.withLock { $0 } }

  var requests: [PeerLog.Request] {
    (playing?.requests ?? []).map {
      PeerLog.Request(
        head: $0.head, body: $0.body, bodyCount: $0.bodyCount,
        trailers: $0.isComplete ? $0.trailers : nil)
    }
  }

  var counts: PeerLog.Counts {
    var counts = PeerLog.Counts()
    for event in playing?.events ?? [] {
      switch event {
      case .connected: counts.connections += 1
      case .received: counts.requests += 1
      case .streamReset: counts.resetStreams += 1
      case .closed(_, by: .client): counts.closedByClient += 1
      case .closed(_, by: .origin): counts.closedByPeer += 1
      }
    }
    counts.bodyBytes = (playing?.requests ?? []).reduce(0) { $0 + $1.bodyCount }
    return counts
  }
}

/// A network in memory: the fake of each peer, found by its port.
final class PlayedNetwork: HTTPTransport {
  private let players: [Int: FakeTransport]

  init(_ peers: [TransportPeer], setup: TransportSetup) {
    players = Dictionary(
      peers.compactMap { peer in peer.played.map { ($0.port, $0.open(setup.limits)) } },
      uniquingKeysWith: { first, _ in first })
  }

  func shutDown() {
    for player in players.values { player.shutDown() }
  }

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    guard let player = players[wire.origin.port] else {
      throw wire.error(
        .connectionRefused, phase: .connecting, bytesSent: false,
        detail: "there is no peer on port \(wire.origin.port)")
    }
    return try await player.send(request, body: body, options: options)
  }
}
