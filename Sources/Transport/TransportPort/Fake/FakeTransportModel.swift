/// The state of a fake transport: connections, waiters and the events that the origin observed.
///
/// A value type without clocks, tasks or locks. Connections are numbered from 1.
struct FakeTransportModel: Sendable {
  /// A connection granted to an exchange.
  struct Lease: Sendable, Hashable {
    var connection: Int
    var origin: HTTPOrigin
    /// Whether the connection must be established first.
    var isNew: Bool
    /// Whether concurrent requests may use the connection, as over HTTP/2.
    var isShared = false
  }

  /// An exchange that waits for a connection.
  private struct Waiter {
    var ticket: ObjectIdentifier
    var origin: HTTPOrigin
    var reuses: Bool
    var shares: Bool
  }

  /// An open connection.
  private struct Connection {
    var origin: HTTPOrigin
    /// Whether the origin has accepted it.
    var isAccepted = false
    /// The number of requests received on it.
    var requests = 0
    /// The number of open streams, if concurrent requests share the connection.
    var streams: Int?
    /// The ordinal of the last request that the origin processes; `nil` before GOAWAY.
    var lastProcessed: Int?
  }

  let limits: ConnectionLimits
  let recordedBodyLimit: Int
  private(set) var isShutDown = false
  private(set) var requests: [RecordedRequest] = []
  private(set) var events: [OriginEvent] = []
  private var open: [Int: Connection] = [:]
  private var openCounts: [HTTPOrigin: Int] = [:]
  private var idle: [Int] = []
  private var waiting: [Waiter] = []
  private var lastConnection = 0

  init(limits: ConnectionLimits, recordedBodyLimit: Int) {
    self.limits = limits
    self.recordedBodyLimit = recordedBodyLimit
  }

  /// The number of open connections, including idle ones.
  var connectionCount: Int { open.count }

  /// Adds a waiter for a connection.
  ///
  /// - Parameters:
  ///   - ticket: Identifies the waiter: ``grant()`` returns it with a connection once one is
  ///     available.
  ///   - origin: The origin to connect to.
  ///   - reuses: Whether an open connection may be used.
  ///   - shares: Whether concurrent requests may share a connection.
  mutating func enqueue(
    _ ticket: ObjectIdentifier, for origin: HTTPOrigin, reuses: Bool, shares: Bool
  ) {
    waiting.append(Waiter(ticket: ticket, origin: origin, reuses: reuses, shares: shares))
  }

  /// Removes a waiter.
  mutating func leave(_ ticket: ObjectIdentifier) {
    waiting.removeAll { $0.ticket == ticket }
  }

  /// Grants available connections to waiters in FIFO order.
  mutating func grant() -> [(ticket: ObjectIdentifier, lease: Lease)] {
    var granted: [(ticket: ObjectIdentifier, lease: Lease)] = []
    for waiter in waiting {
      if let lease = lease(for: waiter) { granted.append((waiter.ticket, lease)) }
    }
    let tickets = Set(granted.map(\.ticket))
    waiting.removeAll { tickets.contains($0.ticket) }
    return granted
  }

  private mutating func lease(for waiter: Waiter) -> Lease? {
    let origin = waiter.origin
    if waiter.reuses, waiter.shares, let (number, connection) = sharedConnection(to: origin) {
      // A connection that is still being established may fail, so the waiter waits for the outcome.
      guard connection.isAccepted else { return nil }
      open[number]?.streams? += 1
      idle.removeAll { $0 == number }
      return Lease(connection: number, origin: origin, isNew: false, isShared: true)
    }
    if waiter.reuses, let index = idle.lastIndex(where: { open[$0]?.origin == origin }) {
      return Lease(connection: idle.remove(at: index), origin: origin, isNew: false)
    }
    if let count = openCounts[origin], count >= limits.perOrigin {
      guard let mine = idle.first(where: { open[$0]?.origin == origin }) else { return nil }
      close(mine, by: .client)
    }
    if open.count >= limits.total {
      guard let oldest = idle.first else { return nil }
      close(oldest, by: .client)
    }
    lastConnection += 1
    open[lastConnection] = Connection(origin: origin, streams: waiter.shares ? 1 : nil)
    openCounts[origin, default: 0] += 1
    return Lease(
      connection: lastConnection, origin: origin, isNew: true, isShared: waiter.shares)
  }

  /// Returns the newest shared connection to an origin that accepts requests.
  private func sharedConnection(to origin: HTTPOrigin) -> (Int, Connection)? {
    let usable = open.filter { $0.value.origin == origin && $0.value.lastProcessed == nil }
    return usable.max { $0.key < $1.key }
  }

  /// Records that the origin accepted a connection.
  mutating func accept(_ connection: Int) {
    guard open[connection]?.isAccepted == false else { return }
    open[connection]?.isAccepted = true
    events.append(.connected(connection))
  }

  /// Returns a connection for reuse, or ends one stream of a shared connection.
  mutating func park(_ connection: Int) {
    guard open[connection] != nil else { return }
    open[connection]?.streams? -= 1
    guard open[connection]?.streams ?? 0 == 0 else { return }
    if open[connection]?.lastProcessed != nil { return close(connection, by: .origin) }
    if isShutDown { return close(connection, by: .client) }
    idle.append(connection)
  }

  /// Cancels a request from the client's side.
  ///
  /// - Returns: Whether only a stream was reset and the shared connection stays open.
  mutating func reset(on connection: Int) -> Bool {
    guard let entry = open[connection], entry.isAccepted, entry.streams != nil else { return false }
    events.append(.streamReset(connection))
    park(connection)
    return true
  }

  /// Handles GOAWAY: the origin processes no request after the one with the given ordinal.
  ///
  /// A later GOAWAY cannot include more requests (RFC 9113 §6.8).
  mutating func goAway(_ connection: Int, lastProcessed: Int) {
    let earlier = open[connection]?.lastProcessed ?? .max
    open[connection]?.lastProcessed = min(earlier, lastProcessed)
  }

  /// Whether a request has a higher ordinal than the last one that the origin processes.
  func isUnprocessed(_ ordinal: Int, on connection: Int) -> Bool {
    open[connection]?.lastProcessed.map { ordinal > $0 } == true
  }

  /// Closes a connection.
  mutating func close(_ connection: Int, by side: OriginEvent.Side) {
    guard let closed = open.removeValue(forKey: connection) else { return }
    openCounts[closed.origin]? -= 1
    idle.removeAll { $0 == connection }
    if closed.isAccepted { events.append(.closed(connection, by: side)) }
  }

  /// Records that the origin received the head of a request.
  ///
  /// - Returns: The head as the origin sees it, and the index of its record.
  mutating func receive(
    _ wire: WireRequest, on connection: Int
  ) -> (head: OriginRequest, index: Int) {
    open[connection]?.requests += 1
    let ordinal = open[connection]?.requests ?? 1
    let fields = wire.headerFields
    let head = OriginRequest(
      connection: connection, ordinal: ordinal, method: wire.method, target: wire.target,
      headerFields: open[connection]?.streams == nil ? fields : fields.overHTTP2)
    requests.append(RecordedRequest(head: head, origin: wire.origin))
    events.append(.received(head))
    return (head, requests.count - 1)
  }

  /// Records content that the origin received.
  mutating func record(_ bytes: [UInt8], of index: Int) {
    let room = max(0, recordedBodyLimit - requests[index].body.count)
    requests[index].body += bytes.prefix(room)
    requests[index].bodyCount += bytes.count
  }

  /// Records that the origin received a request completely.
  mutating func complete(_ index: Int, trailers: HTTPFields) {
    requests[index].trailers = trailers
    requests[index].isComplete = true
  }

  /// Closes all connections and removes all waiters.
  mutating func shutDown() {
    isShutDown = true
    waiting = []
    for connection in open.keys.sorted() { close(connection, by: .client) }
  }
}
