public import ContractTesting
import ScriptedOrigin
public import TransportPort

/// A transport under test, with the scripted peers that it talks to.
///
/// To run the contract on a transport, say how it is opened:
/// ```swift
/// extension Implementation<TransportFixture> {
///   static let mine = live("mine") { scope in
///     TransportFixture(in: scope, shuttingDown: { await $0.shutDown() }) { setup in
///       try MyTransport(limits: setup.limits, authorities: setup.trustedAuthorities)
///     }
///   }
/// }
/// ```
/// A live transport meets real sockets on the loopback address; the fake plays the same plans in
/// memory. Either way the peer's own log is what a clause goes by. Policies are composed over the
/// transport by the clauses. How much a transport can do is said by the capabilities in `Capability`.
public struct TransportFixture: Sendable {
  private let scope: FixtureScope
  private let makePeer:
    @Sendable (OriginPlan, HTTPOrigin.Scheme, @escaping TransportPeer.Tunnels) throws ->
      TransportPeer
  private let makeEcho: (@Sendable () async throws -> TransportPeer)?
  private let open: @Sendable ([TransportPeer], TransportSetup) async throws -> Opened

  private struct Opened {
    var transport: any HTTPTransport
    var shutDown: @Sendable () async -> Void
  }

  /// A transport that reaches its peers by sockets.
  ///
  /// - Parameters:
  ///   - scope: The case's scope; transports are shut down and peers closed with it.
  ///   - shutDown: Ends all that a transport has under way.
  ///   - server: The server that speaks HTTP/2.
  ///   - open: Opens a transport as the setup says.
  public init<Transport: HTTPTransport>(
    in scope: FixtureScope, shuttingDown shutDown: @escaping @Sendable (Transport) async -> Void,
    server: HTTP2Server = .scripted,
    _ open: @escaping @Sendable (TransportSetup) async throws -> Transport
  ) {
    self.scope = scope
    makePeer = { plan, scheme, tunnels in
      let origin = try ScriptedOrigin(plan, scheme: scheme, tunnels: tunnels)
      scope.onTearDown { origin.close() }
      return TransportPeer(origin)
    }
    makeEcho = server.starting(in: scope)
    self.open = { _, setup in
      let transport = try await open(setup)
      return Opened(transport: transport) { await shutDown(transport) }
    }
  }

  /// The fake that ships with the port.
  ///
  /// - Parameter scope: The case's scope.
  public static func fake(in scope: FixtureScope) -> TransportFixture {
    TransportFixture(playedIn: scope, flaws: Flaws())
  }

  /// A transport with flaws, over the fake.
  init(playedIn scope: FixtureScope, flaws: Flaws) {
    self.scope = scope
    makePeer = { plan, scheme, tunnels in
      TransportPeer(playing: plan, scheme: scheme, tunnels: tunnels, flaws: flaws)
    }
    makeEcho = nil
    open = { peers, setup in
      let network = PlayedNetwork(peers, setup: flaws.setup(setup))
      return Opened(transport: FlawedTransport(base: network, flaws: flaws)) {
        network.shutDown()
      }
    }
  }
}

extension TransportFixture {
  /// A peer that does what a plan says, and opens tunnels where it is told to.
  func peer(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    tunnels: @escaping TransportPeer.Tunnels = { _ in false }
  ) throws -> TransportPeer {
    try makePeer(plan, scheme, tunnels)
  }

  /// A peer that answers each request by the next script; the last one stays.
  func peer(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http
  ) throws -> TransportPeer {
    try peer(OriginPlan(inTurn: scripts), scheme: scheme)
  }

  /// A transport and a server of HTTP/2 that sends back what it gets, then the trailer `X-End: yes`.
  func echoWorld() async throws -> TransportWorld {
    let plan = OriginPlan(version: .http2) { _ in
      [
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n"), .echoBody,
        .send("0\r\nX-End: yes\r\n\r\n"),
      ]
    }
    return try await world([try await makeEcho?() ?? peer(plan, scheme: .https)])
  }

  /// A transport among peers, the first of which is the one that is meant where none is named.
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

  /// A transport and one peer that does what a plan says.
  func world(
    _ plan: OriginPlan, scheme: HTTPOrigin.Scheme = .http,
    _ configure: (inout TransportSetup) -> Void = { _ in }
  ) async throws -> TransportWorld {
    try await world([peer(plan, scheme: scheme)], configure)
  }

  /// A transport and one peer that answers each request by the next script; the last one stays.
  func world(
    _ scripts: OriginScript..., scheme: HTTPOrigin.Scheme = .http,
    _ configure: (inout TransportSetup) -> Void = { _ in }
  ) async throws -> TransportWorld {
    try await world(OriginPlan(inTurn: scripts), scheme: scheme, configure)
  }
}
