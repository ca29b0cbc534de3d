import Foundation
import ScriptedOrigin
import SystemLocks
import Testing
import TransportContract
import TransportCurlAdapter
import TransportPort
import TransportRecording

@testable import ContractTesting

extension Implementation<TransportFixture> {
  /// A recording of the curl adapter, replayed.
  ///
  /// The fixture first runs the clause on the curl adapter and scripted servers, and records what
  /// passes. Then the servers are closed, and the clause runs again on the recording: nothing listens
  /// any more, and the ports in the recording are 1, 2, 3 and so on, which refuse connections. Only the
  /// second run is judged: an answer that breaks the clause breaks it in the replay, too.
  static let curlReplayed: Self = recorded("curl-replayed") { scope in
    let folder = try scope.temporaryDirectory()
    try await RecordedClause.current().record(into: folder)
    return TransportFixture.replaying(folder, in: scope)
  }
  .lacking(
    .connections,
    because:
      "a replay has no connection to reuse, limit, close or wait for: an answer is there at once"
  )
  .lacking(.bidirectionalStreaming, because: "a replay reads a request to its end and then answers")
  .lacking(.proxy, because: "a replay has no proxy")
  .lacking(.localPorts, because: "a replay has no connections")
  .deviating(
    from: "set-cookie", "cookies", kind: .unsupported,
    because: "a recording never has the values of cookies"
  )
  .deviatingByLibcurl(hasConnections: false)
}

/// The clause of the current case, which its fixture records.
struct RecordedClause {
  private let clause: Clause<TransportFixture>

  struct NotInCase: Error {}

  static func current() throws -> RecordedClause {
    let id = RunningCase.current?.id.clause
    guard let clause = Contract.transport.clauses.first(where: { $0.id == id }) else {
      throw NotInCase()
    }
    return RecordedClause(clause: clause)
  }

  /// Runs the clause on the curl adapter, and records what passes.
  func record(into folder: URL) async throws {
    let scope = FixtureScope()
    let test = try #require(Test.current)
    try await IssueHandlingTrait.compactMapIssues { _ in nil }
      .provideScope(for: test, testCase: Test.Case.current) {
        _ = try? await clause.body(TransportFixture.recorded(into: folder, in: scope))
      }
    if let error = await scope.tearDown().first { throw error }
  }
}

extension TransportFixture {
  /// A fixture whose transports are curl, recorded: the n-th into `n.har`.
  fileprivate static func recorded(into folder: URL, in scope: FixtureScope) -> TransportFixture {
    let peers = NumberedPeers()
    let files = Numbers()
    return TransportFixture(
      in: scope, shuttingDown: { (_: ObservedTransport) in },
      makePeer: { plan, scheme, tunnels in
        let origin = try ScriptedOrigin(plan, scheme: scheme, tunnels: tunnels)
        scope.onTearDown { origin.close() }
        return peers.add(plan, scheme, livePort: origin.port)
      },
      { setup in
        var setup = setup
        setup.proxy = nil
        var configuration = Implementation<TransportFixture>.configuration(setup)
        configuration.localPorts = []
        let curl = try CurlTransport(configuration)
        let recording = try RecordingTransport(
          wrapping: RenumberedTransport(base: curl, peers: peers),
          to: folder.path + "/\(files.next()).har", redacting: undecodable)
        scope.onTearDown {
          await curl.shutDown()
          try recording.save()
        }
        return ObservedTransport(base: recording, peers: peers)
      })
  }

  /// A fixture whose transports replay these files, in the same order.
  fileprivate static func replaying(_ folder: URL, in scope: FixtureScope) -> TransportFixture {
    let peers = NumberedPeers()
    let files = Numbers()
    return TransportFixture(
      in: scope, shuttingDown: { (_: ObservedTransport) in },
      makePeer: { plan, scheme, _ in peers.add(plan, scheme, livePort: nil) },
      { _ in
        let replay = try ReplayTransport(
          har: folder.path + "/\(files.next()).har", afterLast: .fails)
        return ObservedTransport(base: replay, peers: peers)
      })
  }
}

/// The clauses about decoding send content that cannot be decoded, with these encodings.
private let undecodable = Redaction(
  allowedEncodings: ["gzip", "deflate", "br", "zstd", "compress", "rot13", "@["])

/// 1, 2, 3 and so on.
private final class Numbers: Sendable {
  private let last = Mutex(0)

  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}

/// Peers whose ports are 1, 2, 3 and so on, so that the replay asks for the URLs of the recording, and
/// the requests that were answered in their name.
private final class NumberedPeers: Sendable {
  private struct State {
    /// The ports of the servers that run, the first at index 0.
    var livePorts: [Int?] = []
    var requests: [Int: [PeerLog.Request]] = [:]
  }

  private let state = Mutex(State())

  func add(_ plan: OriginPlan, _ scheme: HTTPOrigin.Scheme, livePort: Int?) -> TransportPeer {
    let port = state.withLock { state in
      state.livePorts.append(livePort)
      return state.livePorts.count
    }
    let host = plan.reachability == .unresolvable ? "unresolvable.invalid" : "127.0.0.1"
    return TransportPeer(
      url: "\(scheme.rawValue)://\(host):\(port)", port: port,
      log: PeerLog(
        requests: { [self] in requests(port) },
        counts: { [self] in
          var counts = PeerLog.Counts()
          counts.requests = requests(port).count
          counts.bodyBytes = requests(port).reduce(0) { $0 + $1.bodyCount }
          return counts
        }))
  }

  private func requests(_ port: Int) -> [PeerLog.Request] {
    state.withLock { $0.requests[port] ?? [] }
  }

  /// Adds a request to the log of its peer.
  func log(_ wire: WireRequest, _ content: [UInt8], _ trailers: HTTPFields) {
    state.withLock { state in
      let ordinal = (state.requests[wire.origin.port] ?? []).count + 1
      let head = OriginRequest(
        connection: 1, ordinal: ordinal, method: wire.method, target: wire.target,
        headerFields: wire.headerFields)
      state.requests[wire.origin.port, default: []].append(
        PeerLog.Request(
          head: head, body: content, bodyCount: content.count, trailers: trailers))
    }
  }

  /// The request with the port of the server that runs.
  func renumbered(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    guard let authority = request.authority, let colon = authority.lastIndex(of: ":"),
      let number = Int(authority[authority.index(after: colon)...]),
      let port = state.withLock({ state in
        state.livePorts.indices.contains(number - 1) ? state.livePorts[number - 1] : nil
      })
    else { return request }
    request.authority = authority[...colon] + String(port)
    return request
  }
}

/// Sends requests for the numbers of peers to the ports of their servers.
private struct RenumberedTransport: HTTPTransport {
  let base: CurlTransport
  let peers: NumberedPeers

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var exchange = try await base.send(peers.renumbered(request), body: body, options: options)
    exchange.request = request
    return exchange
  }
}

/// Logs the requests that another transport answers, with their whole content.
private struct ObservedTransport: HTTPTransport {
  let base: any HTTPTransport
  let peers: NumberedPeers

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    try wire.checkCancellation()
    let reader = try body.makeReader(length: wire.contentLength)
    var content: [UInt8] = []
    while let chunk = try await reader.next() { content += chunk }
    let trailers = try await reader.trailerFields()
    let (bytes, length) = (content, wire.contentLength)
    let chunks = AsyncStream<[UInt8]> { continuation in
      continuation.yield(bytes)
      continuation.finish()
    }
    let makeTrailers: @Sendable () async throws -> HTTPFields = { trailers }
    let again: HTTPRequestBody =
      body.isNone
      ? .none : .stream(chunks, length: length, trailers: body.hasTrailers ? makeTrailers : nil)
    do throws(TransportError) {
      let exchange = try await base.send(request, body: again, options: options)
      peers.log(wire, bytes, trailers)
      return exchange
    } catch {
      if error.bytesSent { peers.log(wire, bytes, trailers) }
      throw error
    }
  }
}
