public import ScriptedOrigin
public import TransportPort

/// The requests and connections that reached a peer.
///
/// Clauses check a transport against this log and not against what the transport reports.
public struct PeerLog: Sendable {
  /// A request as the peer received it.
  public struct Request: Sendable {
    /// The head.
    public var head: OriginRequest
    /// The content, up to 4 MiB; empty for nghttpd, which reports only its size.
    public var body: [UInt8]
    /// The number of bytes of content.
    public var bodyCount: Int
    /// The trailer fields; `nil` until the content has been read to its end.
    public var trailers: HTTPFields?

    /// Creates a request.
    public init(
      head: OriginRequest, body: [UInt8] = [], bodyCount: Int = 0, trailers: HTTPFields? = nil
    ) {
      self.head = head
      self.body = body
      self.bodyCount = bodyCount
      self.trailers = trailers
    }

    /// The header fields.
    public var fields: HTTPFields { head.headerFields }
  }

  /// Counts of the events at the peer.
  public struct Counts: Sendable, Hashable {
    /// Connections that were accepted.
    public var connections = 0
    /// Requests whose head the peer read.
    public var requests = 0
    /// Bytes of content that the peer read, of all requests.
    public var bodyBytes = 0
    /// Bytes that the peer wrote to its sockets; 0 for a peer in memory.
    public var sentBytes = 0
    /// Connections that the client ended.
    public var closedByClient = 0
    /// Connections that the peer ended.
    public var closedByPeer = 0
    /// Connections that the client, the peer or both ended.
    public var ended = 0
    /// HTTP/2 streams that the client reset.
    public var resetStreams = 0

    /// Creates counts of 0.
    public init() {}
  }

  private let readRequests: @Sendable () -> [Request]
  private let readCounts: @Sendable () -> Counts
  private let waitForCounts:
    @Sendable (Duration, @escaping @Sendable (Counts) -> Bool) async throws -> Bool

  /// Creates the log of a server.
  ///
  /// - Parameters:
  ///   - requests: Returns all requests so far, in order.
  ///   - counts: Returns the counts so far. Clauses that wait for an event poll it.
  public init(
    requests: @escaping @Sendable () -> [Request], counts: @escaping @Sendable () -> Counts
  ) {
    readRequests = requests
    readCounts = counts
    waitForCounts = { timeout, isSatisfied in
      try await TransportContract.happens(within: timeout) { isSatisfied(counts()) }
    }
  }

  /// The log of a server that reports nothing.
  public static let unknown = PeerLog(requests: { [] }, counts: { Counts() })

  /// The log of a scripted server.
  public init(_ log: OriginLog) {
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

  /// All requests so far, in order.
  public var requests: [Request] { readRequests() }

  /// The counts so far.
  public var counts: Counts { readCounts() }

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
  /// The log of a peer in memory.
  init(_ peer: InMemoryPeer) {
    self.init(requests: { peer.requests }, counts: { peer.counts })
  }
}

extension PeerLog.Counts {
  fileprivate init(_ events: [OriginLog.Event]) {
    var ended: Set<Int> = []
    for event in events {
      switch event.kind {
      case .accepted: connections += 1
      case .head: requests += 1
      case .body(let count): bodyBytes += count
      case .closedByPeer, .resetByPeer:
        closedByClient += 1
        ended.insert(event.connection)
      case .closed, .reset, .malformed:
        closedByPeer += 1
        ended.insert(event.connection)
      case .streamReset: resetStreams += 1
      case .sent(let count): sentBytes += count
      case .secured, .handshakeFailed, .requestEnd, .tunnel, .priority: break
      }
    }
    self.ended = ended.count
  }
}
