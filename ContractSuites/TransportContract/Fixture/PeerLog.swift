import ScriptedOrigin
import TransportPort

/// What really reached a peer: the oracle of every clause.
struct PeerLog: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    /// The head.
    var head: OriginRequest
    /// The content that is kept.
    var body: [UInt8]
    /// How many bytes of content came.
    var bodyCount: Int
    /// The trailer fields; `nil` until the content was read to its end.
    var trailers: HTTPFields?

    /// The header fields.
    var fields: HTTPFields { head.headerFields }
  }

  /// How often things happened.
  struct Counts: Sendable, Hashable {
    /// Connections that were accepted.
    var connections = 0
    /// Requests whose head was read.
    var requests = 0
    /// Bytes of content that were read, of all requests.
    var bodyBytes = 0
    /// Bytes that were sent on sockets; 0 of a played peer.
    var sentBytes = 0
    /// Connections that the client ended.
    var closedByClient = 0
    /// Connections that the peer ended.
    var closedByPeer = 0
    /// Requests that the client gave up on a connection that goes on.
    var resetStreams = 0
  }

  private let readRequests: @Sendable () -> [Request]
  private let readCounts: @Sendable () -> Counts
  private let waitForCounts:
    @Sendable (Duration, @escaping @Sendable (Counts) -> Bool) async throws -> Bool

  /// All requests, in order.
  var requests: [Request] { readRequests() }

  /// How often things happened so far.
  var counts: Counts { readCounts() }

  /// Waits until so much has happened.
  ///
  /// - Returns: Whether it happened in that time.
  func happens(
    within timeout: Duration = .seconds(5), _ isSatisfied: @escaping @Sendable (Counts) -> Bool
  ) async throws -> Bool {
    try await waitForCounts(timeout, isSatisfied)
  }
}

extension PeerLog {
  /// What a peer on a socket saw.
  init(_ log: OriginLog) {
    readRequests = {
      log.requests.map {
        Request(head: $0.head, body: $0.body, bodyCount: $0.bodyCount, trailers: $0.trailers)
      }
    }
    readCounts = { Counts(log.events) }
    waitForCounts = { timeout, isSatisfied in
      do {
        try await log.wait(within: timeout) { isSatisfied(Counts($0)) }
        return true
      } catch is OriginLog.Missing {
        return false
      }
    }
  }

  /// What a played peer saw.
  ///
  /// It tells nobody of what happens, so it is looked at each millisecond.
  init(_ peer: PlayedPeer, flaws: Flaws) {
    readRequests = { peer.requests.map { flaws.seen($0) } }
    readCounts = { peer.counts }
    waitForCounts = { timeout, isSatisfied in
      try await TransportContract.happens(within: timeout) { isSatisfied(peer.counts) }
    }
  }
}

extension PeerLog.Counts {
  fileprivate init(_ events: [OriginLog.Event]) {
    for event in events {
      switch event.kind {
      case .accepted: connections += 1
      case .head: requests += 1
      case .body(let count): bodyBytes += count
      case .closedByPeer, .resetByPeer: closedByClient += 1
      case .closed, .reset: closedByPeer += 1
      case .streamReset: resetStreams += 1
      case .sent(let count): sentBytes += count
      case .secured, .handshakeFailed, .requestEnd, .tunnel: break
      }
    }
  }
}
