import ScriptedOrigin
import TransportPort

/// The requests and connections that reached a peer.
///
/// Clauses check a transport against this log and not against what the transport reports.
struct PeerLog: Sendable {
  /// A request as the peer received it.
  struct Request: Sendable {
    /// The head.
    var head: OriginRequest
    /// The content, up to 4 MiB; empty for nghttpd, which reports only its size.
    var body: [UInt8]
    /// The number of bytes of content.
    var bodyCount: Int
    /// The trailer fields; `nil` until the content has been read to its end.
    var trailers: HTTPFields?

    /// The header fields.
    var fields: HTTPFields { head.headerFields }
  }

  /// Counts of the events at the peer.
  struct Counts: Sendable, Hashable {
    /// Connections that were accepted.
    var connections = 0
    /// Requests whose head the peer read.
    var requests = 0
    /// Bytes of content that the peer read, of all requests.
    var bodyBytes = 0
    /// Bytes that the peer wrote to its sockets; 0 for a peer in memory.
    var sentBytes = 0
    /// Connections that the client ended.
    var closedByClient = 0
    /// Connections that the peer ended.
    var closedByPeer = 0
    /// HTTP/2 streams that the client reset.
    var resetStreams = 0
  }

  private let readRequests: @Sendable () -> [Request]
  private let readCounts: @Sendable () -> Counts
  private let waitForCounts:
    @Sendable (Duration, @escaping @Sendable (Counts) -> Bool) async throws -> Bool

  /// All requests so far, in order.
  var requests: [Request] { readRequests() }

  /// The counts so far.
  var counts: Counts { readCounts() }

  /// Waits until the counts satisfy a condition.
  ///
  /// - Returns: Whether they did before the timeout.
  func happens(
    within timeout: Duration = .seconds(5), _ isSatisfied: @escaping @Sendable (Counts) -> Bool
  ) async throws -> Bool {
    try await waitForCounts(timeout, isSatisfied)
  }
}

extension PeerLog {
  /// The log of a peer on a socket.
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

  /// The log of a peer in memory, which is polled because the fake does not signal events.
  init(_ peer: InMemoryPeer, flaws: TransportFlaws) {
    readRequests = { peer.requests.map { flaws.sentRequest($0) } }
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
      case .closed, .reset, .malformed: closedByPeer += 1
      case .streamReset: resetStreams += 1
      case .sent(let count): sentBytes += count
      case .secured, .handshakeFailed, .requestEnd, .tunnel: break
      }
    }
  }
}
