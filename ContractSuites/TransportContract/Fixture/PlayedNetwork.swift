import Foundation
import SystemLocks
import TransportPort

/// A peer in memory: a plan, and the fakes that play it, one for each transport that was opened.
final class PlayedPeer: Sendable {
  private static let lastPort = Counter()

  /// The port that tells it from other peers.
  let port: Int
  private let plan: OriginPlan
  private let players = Mutex<[FakeTransport]>([])

  init(_ plan: OriginPlan) {
    port = 20_000 + Self.lastPort.increment() % 40_000
    self.plan = plan
  }

  /// Begins to play.
  func open(_ setup: TransportSetup, proxy: FakeTransport.Proxy? = nil) -> FakeTransport {
    var plan = plan
    // A good identity is one of the authority that peers on sockets have, and no other knows it.
    if plan.identity == .trusted, setup.trustedAuthorities == nil {
      plan.identity = .unknownAuthority
    }
    let made = FakeTransport(
      plan, limits: setup.limits, proxy: proxy, recordedBodyLimit: 4 << 20)
    players.withLock { $0.append(made) }
    return made
  }

  private var recorded: [RecordedRequest] { players.withLock { $0 }.flatMap(\.requests) }

  var requests: [PeerLog.Request] {
    recorded.map {
      PeerLog.Request(
        head: $0.head, body: $0.body, bodyCount: $0.bodyCount,
        trailers: $0.isComplete ? $0.trailers : nil)
    }
  }

  var counts: PeerLog.Counts {
    var counts = PeerLog.Counts()
    for event in players.withLock({ $0 }).flatMap(\.events) {
      switch event {
      case .connected: counts.connections += 1
      case .received: counts.requests += 1
      case .streamReset: counts.resetStreams += 1
      case .closed(_, by: .client): counts.closedByClient += 1
      case .closed(_, by: .origin): counts.closedByPeer += 1
      }
    }
    counts.bodyBytes = recorded.reduce(0) { $0 + $1.bodyCount }
    return counts
  }
}

/// A network in memory: the fake of each peer, found by its port, perhaps with a proxy before it.
final class PlayedNetwork: HTTPTransport {
  private let players: [Int: FakeTransport]
  /// Who answers for all other ports.
  private let nobody: FakeTransport

  init(_ peers: [TransportPeer], setup: TransportSetup) {
    let gate = setup.proxy.flatMap { URLReference($0).authority }?.split(separator: "@")
    let gatePort = gate?.last?.split(separator: ":").last.flatMap { Int($0) }
    let secret = gate.flatMap { $0.count > 1 ? Data($0[0].utf8).base64EncodedString() : nil }
    let proxy = peers.first { $0.port == gatePort }?.played.map {
      FakeTransport.Proxy(
        $0.open(setup), authorization: secret.map { "Basic \($0)" }, bypassing: setup.proxyBypass)
    }
    var players: [Int: FakeTransport] = [:]
    for peer in peers.compactMap(\.played) where peer.port != gatePort {
      players[peer.port] = peer.open(setup, proxy: proxy)
    }
    self.players = players
    nobody = FakeTransport(OriginPlan(reachability: .refusing) { _ in [] }, proxy: proxy)
  }

  func shutDown() {
    for player in players.values { player.shutDown() }
    nobody.proxy?.transport.shutDown()
    nobody.shutDown()
  }

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    let player = players[wire.origin.port] ?? nobody
    return try await player.send(request, body: body, options: options)
  }
}
