import Foundation
import SystemLocks
import TransportPort

/// A server in memory: a plan, and one fake transport that plays it for each transport under test.
final class InMemoryPeer: Sendable {
  private static let lastPort = Counter()

  /// The port, which no other server in memory has.
  let port: Int
  private let plan: OriginPlan
  private let players = Mutex<[FakeTransport]>([])

  init(_ plan: OriginPlan) {
    port = 20_000 + Self.lastPort.increment() % 40_000
    self.plan = plan
  }

  /// Creates a fake that plays the plan.
  func open(_ setup: TransportSetup, proxy: FakeTransport.Proxy? = nil) -> FakeTransport {
    var plan = plan
    // A trusted certificate is one of the scripted origin's authority, which only the setup names.
    if plan.identity == .trusted, setup.trustedAuthorities == nil {
      plan.identity = .unknownAuthority
    }
    let player = FakeTransport(
      plan, limits: setup.limits, proxy: proxy, recordedBodyLimit: 4 << 20)
    players.withLock { $0.append(player) }
    return player
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
    var ended: Set<Int> = []
    for event in players.withLock({ $0 }).flatMap(\.events) {
      switch event {
      case .connected: counts.connections += 1
      case .received: counts.requests += 1
      case .streamReset: counts.resetStreams += 1
      case .closed(let connection, by: let side):
        if side == .client { counts.closedByClient += 1 } else { counts.closedByPeer += 1 }
        ended.insert(connection)
      }
    }
    counts.ended = ended.count
    counts.bodyBytes = recorded.reduce(0) { $0 + $1.bodyCount }
    return counts
  }
}

/// A network in memory: routes each request by its port to the fake that plays the server there.
final class InMemoryNetwork: HTTPTransport {
  private let players: [Int: FakeTransport]
  /// Refuses connections to all other ports.
  private let unreachable: FakeTransport

  init(_ peers: [TransportPeer], setup: TransportSetup) {
    let authority = setup.proxy.flatMap { URLReference($0).authority }?.split(separator: "@")
    let proxyPort = authority?.last?.split(separator: ":").last.flatMap { Int($0) }
    let credentials = authority.flatMap {
      $0.count > 1 ? Data($0[0].utf8).base64EncodedString() : nil
    }
    let proxy = peers.first { $0.port == proxyPort }?.inMemory.map {
      FakeTransport.Proxy(
        $0.open(setup), authorization: credentials.map { "Basic \($0)" },
        bypassing: setup.proxyBypass)
    }
    var players: [Int: FakeTransport] = [:]
    for peer in peers.compactMap(\.inMemory) where peer.port != proxyPort {
      players[peer.port] = peer.open(setup, proxy: proxy)
    }
    self.players = players
    unreachable = FakeTransport(OriginPlan(reachability: .refusing) { _ in [] }, proxy: proxy)
  }

  func shutDown() {
    for player in players.values { player.shutDown() }
    unreachable.shutDown()
  }

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    let player = players[wire.origin.port] ?? unreachable
    return try await player.send(request, body: body, options: options)
  }
}
