public import ContractTesting
import Foundation
import ScriptedOrigin
import SystemLocks
public import TransportPort

/// The fixture of the transport contracts: opens transports under test and their peers.
///
/// To run the contracts on your transport, declare how to open it:
/// ```swift
/// extension Implementation<TransportFixture> {
///   static let mine = live("mine") { scope in
///     TransportFixture(in: scope, shuttingDown: { await $0.shutDown() }) { setup in
///       try MyTransport(limits: setup.limits, authorities: setup.trustedAuthorities)
///     }
///   }
/// }
/// ```
/// A live transport connects to servers on the loopback address; the fake plays the same plans in
/// memory. In both cases a clause checks the peer's log. Clauses add policies, such as redirects,
/// to the transport themselves. The capabilities in `Capability` state what a transport supports.
public struct TransportFixture: Sendable {
  private let scope: FixtureScope
  /// Starts a server that plays a plan, and opens the tunnels that a function allows.
  public typealias MakePeer =
    @Sendable (OriginPlan, HTTPOrigin.Scheme, @escaping TransportPeer.Tunnels) throws ->
    TransportPeer

  private let makePeer: MakePeer
  private let server: HTTP2Server
  private let fileServer: FileServer
  private let peers = Peers()
  private let open: @Sendable ([TransportPeer], TransportSetup) async throws -> Opened

  private struct Opened {
    var transport: any HTTPTransport
    var shutDown: @Sendable () async -> Void
  }

  /// Creates a fixture for a transport that uses sockets.
  ///
  /// - Parameters:
  ///   - scope: The case's scope. Its teardown shuts down the transports and closes the peers.
  ///   - shutDown: Shuts a transport down, which ends its requests and connections.
  ///   - server: The HTTP/2 server for the HTTP/2 contract.
  ///   - fileServer: The server for the contract that any server can serve.
  ///   - makePeer: Starts a scripted server other than `ScriptedOrigin`.
  ///   - open: Opens a transport with the given settings.
  ///
  /// The logs of the servers are the fixture's witness: a transport that never connects to one proves nothing. Those of
  /// the scripted servers count connections; those of other projects are written by the server itself.
  public init<Transport: HTTPTransport>(
    in scope: FixtureScope, shuttingDown shutDown: @escaping @Sendable (Transport) async -> Void,
    server: HTTP2Server = .scripted, fileServer: FileServer = .scripted,
    makePeer: MakePeer? = nil,
    _ open: @escaping @Sendable (TransportSetup) async throws -> Transport
  ) {
    self.scope = scope
    self.server = server
    self.fileServer = fileServer
    let makePeer =
      makePeer ?? { plan, scheme, tunnels in
        let origin = try ScriptedOrigin(plan, scheme: scheme, tunnels: tunnels)
        scope.onTearDown { origin.close() }
        return TransportPeer(origin)
      }
    self.makePeer = { [peers] plan, scheme, tunnels in
      let peer = try makePeer(plan, scheme, tunnels)
      peers.append(peer)
      return peer
    }
    if fileServer.start == nil || fileServer.hasLog {
      let isScripted = server.start == nil && fileServer.start == nil
      scope.addWitness("the logs of the servers", isScripted ? .connection : .serverLog) {
        [peers] in peers.traces
      }
    }
    self.open = { _, setup in
      let transport = try await open(setup)
      return Opened(transport: transport) { await shutDown(transport) }
    }
  }

  /// Creates a fixture for the fake that ships with the port.
  ///
  /// - Parameter scope: The case's scope.
  public static func fake(in scope: FixtureScope) -> TransportFixture {
    TransportFixture(inMemory: scope, flaws: TransportFlaws())
  }

  /// Creates a fixture for the fake with flaws.
  init(inMemory scope: FixtureScope, flaws: TransportFlaws) {
    self.scope = scope
    makePeer = { plan, scheme, tunnels in
      TransportPeer(playing: plan, scheme: scheme, tunnels: tunnels)
    }
    server = .scripted
    fileServer = .scripted
    open = { peers, setup in
      var setup = setup
      flaws.setup(&setup)
      let network = InMemoryNetwork(peers, setup: setup)
      return Opened(transport: FlawedTransport(base: network, flaws: flaws)) {
        network.shutDown()
      }
    }
  }
}

/// All servers of a fixture.
private final class Peers: Sendable {
  private let all = Mutex<[TransportPeer]>([])

  func append(_ peer: TransportPeer) { all.withLock { $0.append(peer) } }

  /// How many connections the servers have accepted, and how long their own logs are.
  var traces: Int {
    all.withLock(\.self).map { peer in
      let log = peer.serverLog.flatMap { try? Data(contentsOf: $0).count }
      return log ?? peer.log.counts.connections
    }.reduce(0, +)
  }
}

extension TransportFixture {
  /// Starts a peer that plays a plan, and opens the tunnels that `tunnels` allows.
  func peer(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    tunnels: @escaping TransportPeer.Tunnels = { _ in false }
  ) throws -> TransportPeer {
    try makePeer(plan, scheme, tunnels)
  }

  /// Starts a peer that plays the next script for each request; the last one repeats.
  func peer(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http
  ) throws -> TransportPeer {
    try peer(OriginPlan(inTurn: scripts), scheme: scheme)
  }

  /// Opens a transport and an HTTP/2 server that returns content, then the trailer `X-End: yes`.
  func echoWorld() async throws -> TransportWorld {
    let plan = OriginPlan(version: .http2) { _ in
      [
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n"), .echoBody,
        .send("0\r\nX-End: yes\r\n\r\n"),
      ]
    }
    guard let start = server.start else { return try await world([peer(plan, scheme: .https)]) }
    return try await world(foreign: start(scope))
  }

  /// Opens a transport and a server of files.
  ///
  /// - Parameter files: The content of each file by its name.
  func fileWorld(_ files: [String: [UInt8]]) async throws -> TransportWorld {
    guard let start = fileServer.start else {
      let plan = OriginPlan { request in
        guard let content = files[String(request.target.dropFirst())] else {
          return .respond(404, text: "not found")
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n"
        return [.send(head), .send(request.method == .head ? [] : content)]
      }
      return try await world(plan)
    }
    let folder = try scope.temporaryDirectory()
    for (name, content) in files {
      try Data(content).write(to: folder.appendingPathComponent(name))
    }
    return try await world(foreign: start(folder, scope))
  }

  /// Opens a transport and a server that is not scripted.
  private func world(foreign peer: TransportPeer) async throws -> TransportWorld {
    peers.append(peer)
    return try await world([peer])
  }

  /// Opens a transport for these peers. The first is the default peer of the world's methods.
  func world(
    _ peers: [TransportPeer], _ configure: (inout TransportSetup) -> Void = { _ in }
  ) async throws -> TransportWorld {
    var setup = TransportSetup()
    setup.trustedAuthorities = try ScriptedOrigin.trustedAuthority
    configure(&setup)
    let opened = try await open(peers, setup)
    scope.onTearDown(opened.shutDown)
    return TransportWorld(
      transport: opened.transport, peers: peers, shutDown: opened.shutDown)
  }

  /// Opens a transport and one peer that plays a plan.
  func world(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    _ configure: (inout TransportSetup) -> Void = { _ in }
  ) async throws -> TransportWorld {
    try await world([peer(plan, scheme: scheme)], configure)
  }

  /// Opens a transport and one peer that plays the next script for each request.
  func world(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http,
    _ configure: (inout TransportSetup) -> Void = { _ in }
  ) async throws -> TransportWorld {
    try await world(OriginPlan(inTurn: scripts), scheme: scheme, configure)
  }
}
