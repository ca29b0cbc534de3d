/// What a fake transport remembers: its connections, who waits for one, and what the origin saw.
///
/// A value without clocks, tasks or locks. Connections and tickets count from 1.
struct FakeTransportModel: Sendable {
  /// A connection that was handed out.
  struct Lease: Sendable, Hashable {
    var connection: Int
    var origin: HTTPOrigin
    /// Whether it has to be opened first.
    var isNew: Bool
  }

  /// Somebody who waits for a connection.
  private struct Waiter {
    var ticket: Int
    var origin: HTTPOrigin
    var reuses: Bool
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
  private var waiting: [Waiter] = []
  private var ordinals: [Int: Int] = [:]
  private var lastConnection = 0
  private var lastTicket = 0

  init(limits: ConnectionLimits, recordedBodyLimit: Int) {
    self.limits = limits
    self.recordedBodyLimit = recordedBodyLimit
  }

  /// How many connections are open, idle ones included.
  var connectionCount: Int { open.count }

  /// Gets in line for a connection.
  ///
  /// - Returns: A ticket; it is among those of the next ``grant()`` when its turn comes.
  mutating func enqueue(for origin: HTTPOrigin, reuses: Bool) -> Int {
    lastTicket += 1
    waiting.append(Waiter(ticket: lastTicket, origin: origin, reuses: reuses))
    return lastTicket
  }

  /// Leaves the line.
  mutating func leave(_ ticket: Int) {
    waiting.removeAll { $0.ticket == ticket }
  }

  /// Hands out connections in line order to everybody for whom there is one.
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
    return Lease(connection: lastConnection, origin: origin, isNew: true)
  }

  /// The origin accepted a connection.
  mutating func accept(_ connection: Int) {
    guard open[connection] != nil, accepted.insert(connection).inserted else { return }
    events.append(.connected(connection))
  }

  /// A connection is free again.
  mutating func park(_ connection: Int) {
    guard open[connection] != nil, !isShutDown else { return close(connection, by: .client) }
    idle.append(connection)
  }

  /// A connection ends.
  mutating func close(_ connection: Int, by side: OriginEvent.Side) {
    guard let origin = open.removeValue(forKey: connection) else { return }
    let left = openCounts[origin, default: 1] - 1
    openCounts[origin] = left == 0 ? nil : left
    idle.removeAll { $0 == connection }
    ordinals[connection] = nil
    if accepted.remove(connection) != nil { events.append(.closed(connection, by: side)) }
  }

  /// The origin read the head of a request.
  ///
  /// - Returns: The head as the origin sees it, and the place of its record.
  mutating func receive(
    _ wire: WireRequest, on connection: Int
  ) -> (head: OriginRequest, index: Int) {
    let ordinal = ordinals[connection, default: 0] + 1
    ordinals[connection] = ordinal
    let head = OriginRequest(
      connection: connection, ordinal: ordinal, method: wire.method, target: wire.target,
      headerFields: wire.headerFields)
    requests.append(RecordedRequest(head: head, origin: wire.origin))
    events.append(.received(head))
    return (head, requests.count - 1)
  }

  /// The origin read some content of a request.
  mutating func record(_ bytes: [UInt8], of index: Int) {
    let room = max(0, recordedBodyLimit - requests[index].body.count)
    requests[index].body += bytes.prefix(room)
    requests[index].bodyCount += bytes.count
  }

  /// The origin read the content of a request to its end.
  mutating func complete(_ index: Int, trailers: HTTPFields) {
    requests[index].trailers = trailers
    requests[index].isComplete = true
  }

  /// Ends everything.
  mutating func shutDown() {
    isShutDown = true
    waiting = []
    for connection in open.keys.sorted() { close(connection, by: .client) }
  }
}
