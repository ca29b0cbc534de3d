/// The state of a fake transport: connections, waiters and the events that the origin observed.
///
/// A value type without clocks, tasks or locks. Connections and tickets are numbered from 1.
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
    var ticket: Int
    var origin: HTTPOrigin
    var reuses: Bool
    var shares: Bool
  }

  /// The state of a connection that concurrent requests share.
  private struct SharedConnection {
    var streams = 1
    /// The ordinal of the last request that the origin processes; `nil` before GOAWAY.
    var lastProcessed: Int?
  }

  let limits: ConnectionLimits
  let recordedBodyLimit: Int
  private(set) var isShutDown = false
  private(set) var requests: [RecordedRequest] = []
  private(set) var events: [OriginEvent] = []
  private var open: [Int: HTTPOrigin] = [:]
  private var openCounts: [HTTPOrigin: Int] = [:]
  private var accepted: Set<Int> = []
  private var idle: [Int] = []
  private var shared: [Int: SharedConnection] = [:]
  private var waiting: [Waiter] = []
  private var ordinals: [Int: Int] = [:]
  private var lastConnection = 0
  private var lastTicket = 0  // not mutated: only that the numbers differ counts

  init(limits: ConnectionLimits, recordedBodyLimit: Int) {
    self.limits = limits
    self.recordedBodyLimit = recordedBodyLimit
  }

  /// The number of open connections, including idle ones.
  // not mutated: for tests of the fake's users, and no call of the port
  var connectionCount: Int { open.count }

  /// Adds a waiter for a connection.
  ///
  /// - Parameters:
  ///   - origin: The origin to connect to.
  ///   - reuses: Whether an open connection may be used.
  ///   - shares: Whether concurrent requests may share a connection.
  /// - Returns: The waiter's ticket, which ``grant()`` returns with a connection once one is
  ///   available.
  mutating func enqueue(for origin: HTTPOrigin, reuses: Bool, shares: Bool = false) -> Int {
    lastTicket += 1  // not mutated: only that the numbers differ counts
    waiting.append(Waiter(ticket: lastTicket, origin: origin, reuses: reuses, shares: shares))
    return lastTicket
  }

  /// Removes a waiter.
  mutating func leave(_ ticket: Int) {
    waiting.removeAll { $0.ticket == ticket }
  }

  /// Grants available connections to waiters in FIFO order.
  mutating func grant() -> [(ticket: Int, lease: Lease)] {
    var granted: [(ticket: Int, lease: Lease)] = []
    for waiter in waiting {
      if let lease = lease(for: waiter) { granted.append((waiter.ticket, lease)) }
    }
    let tickets = Set(granted.map(\.ticket))
    waiting.removeAll { tickets.contains($0.ticket) }
    return granted
  }

  private mutating func lease(for waiter: Waiter) -> Lease? {
    let origin = waiter.origin
    if waiter.reuses, waiter.shares, let connection = sharedConnection(to: origin) {
      // A connection that is still being established may fail, so the waiter waits for the outcome.
      guard accepted.contains(connection) else { return nil }
      shared[connection]?.streams += 1
      idle.removeAll { $0 == connection }
      return Lease(connection: connection, origin: origin, isNew: false, isShared: true)
    }
    if waiter.reuses, let index = idle.lastIndex(where: { open[$0] == origin }) {
      return Lease(connection: idle.remove(at: index), origin: origin, isNew: false)
    }
    if openCounts[origin, default: 0] >= limits.perOrigin {
      guard let mine = idle.first(where: { open[$0] == origin }) else { return nil }
      close(mine, by: .client)
    }
    if open.count >= limits.total {
      guard let oldest = idle.first else { return nil }
      close(oldest, by: .client)
    }
    lastConnection += 1
    open[lastConnection] = origin
    openCounts[origin, default: 0] += 1
    if waiter.shares { shared[lastConnection] = SharedConnection() }
    return Lease(
      connection: lastConnection, origin: origin, isNew: true, isShared: waiter.shares)
  }

  /// Returns the newest shared connection to an origin that accepts requests.
  private func sharedConnection(to origin: HTTPOrigin) -> Int? {
    shared.filter { open[$0.key] == origin && $0.value.lastProcessed == nil }.keys.max()
  }

  /// Records that the origin accepted a connection.
  mutating func accept(_ connection: Int) {
    guard open[connection] != nil, accepted.insert(connection).inserted else { return }
    events.append(.connected(connection))
  }

  /// Returns a connection for reuse, or ends one stream of a shared connection.
  mutating func park(_ connection: Int) {
    if shared[connection] != nil { return endStream(on: connection) }
    guard open[connection] != nil, !isShutDown else { return close(connection, by: .client) }
    idle.append(connection)
  }

  /// Cancels a request from the client's side.
  ///
  /// - Returns: Whether only a stream was reset and the shared connection stays open.
  mutating func reset(on connection: Int) -> Bool {
    guard shared[connection] != nil, accepted.contains(connection) else { return false }
    events.append(.streamReset(connection))
    endStream(on: connection)
    return true
  }

  private mutating func endStream(on connection: Int) {
    guard open[connection] != nil, var entry = shared[connection] else { return }
    entry.streams -= 1
    shared[connection] = entry
    guard entry.streams == 0 else { return }
    if entry.lastProcessed != nil { return close(connection, by: .origin) }
    if isShutDown { return close(connection, by: .client) }
    idle.append(connection)
  }

  /// Handles GOAWAY: the origin processes no request after the one with the given ordinal.
  mutating func goAway(_ connection: Int, lastProcessed: Int) {
    let before = shared[connection]?.lastProcessed ?? lastProcessed
    shared[connection]?.lastProcessed = min(before, lastProcessed)
  }

  /// Whether a request has a higher ordinal than the last one that the origin processes.
  func isUnprocessed(_ ordinal: Int, on connection: Int) -> Bool {
    shared[connection]?.lastProcessed.map { ordinal > $0 } ?? false
  }

  /// Closes a connection.
  mutating func close(_ connection: Int, by side: OriginEvent.Side) {
    guard let origin = open.removeValue(forKey: connection) else { return }
    let left = openCounts[origin, default: 1] - 1
    openCounts[origin] = left == 0 ? nil : left
    idle.removeAll { $0 == connection }
    ordinals[connection] = nil
    shared[connection] = nil
    if accepted.remove(connection) != nil { events.append(.closed(connection, by: side)) }
  }

  /// Records that the origin received the head of a request.
  ///
  /// - Returns: The head as the origin sees it, and the index of its record.
  mutating func receive(
    _ wire: WireRequest, on connection: Int
  ) -> (head: OriginRequest, index: Int) {
    let ordinal = ordinals[connection, default: 0] + 1
    ordinals[connection] = ordinal
    var fields = wire.headerFields
    if shared[connection] != nil { fields.removeAll { $0.name.isOfConnection } }
    let head = OriginRequest(
      connection: connection, ordinal: ordinal, method: wire.method, target: wire.target,
      headerFields: fields)
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
