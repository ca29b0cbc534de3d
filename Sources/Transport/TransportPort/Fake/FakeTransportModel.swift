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
    /// Whether other requests may be on it at the same time, as over HTTP/2.
    var isShared = false
  }

  /// Somebody who waits for a connection.
  private struct Waiter {
    var ticket: Int
    var origin: HTTPOrigin
    var reuses: Bool
    var shares: Bool
  }

  /// A connection that requests share.
  private struct Share {
    var streams = 1
    /// The ordinal of the last request that is taken on, once the origin has said that it leaves.
    var lastTaken: Int?
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
  private var shared: [Int: Share] = [:]
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
  /// - Parameters:
  ///   - origin: Whom to reach.
  ///   - reuses: Whether a connection that is open will do.
  ///   - shares: Whether requests may be on one connection at the same time.
  /// - Returns: A ticket; it is among those of the next ``grant()`` when its turn comes.
  mutating func enqueue(for origin: HTTPOrigin, reuses: Bool, shares: Bool = false) -> Int {
    lastTicket += 1
    waiting.append(Waiter(ticket: lastTicket, origin: origin, reuses: reuses, shares: shares))
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
    if waiter.reuses, waiter.shares, let connection = sharedConnection(to: origin) {
      // One that is being opened is waited for: it may fail.
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
    if waiter.shares { shared[lastConnection] = Share() }
    return Lease(
      connection: lastConnection, origin: origin, isNew: true, isShared: waiter.shares)
  }

  /// The newest connection to an origin that takes more requests.
  private func sharedConnection(to origin: HTTPOrigin) -> Int? {
    shared.filter { open[$0.key] == origin && $0.value.lastTaken == nil }.keys.max()
  }

  /// The origin accepted a connection.
  mutating func accept(_ connection: Int) {
    guard open[connection] != nil, accepted.insert(connection).inserted else { return }
    events.append(.connected(connection))
  }

  /// A connection is free again, or one of those that share it has what it wanted.
  mutating func park(_ connection: Int) {
    if shared[connection] != nil { return endStream(on: connection) }
    guard open[connection] != nil, !isShutDown else { return close(connection, by: .client) }
    idle.append(connection)
  }

  /// The client gives up a request.
  ///
  /// - Returns: Whether the connection goes on, since others share it.
  mutating func reset(on connection: Int) -> Bool {
    guard shared[connection] != nil, accepted.contains(connection) else { return false }
    events.append(.streamReset(connection))
    endStream(on: connection)
    return true
  }

  private mutating func endStream(on connection: Int) {
    guard open[connection] != nil, var share = shared[connection] else { return }
    share.streams -= 1
    shared[connection] = share
    guard share.streams == 0 else { return }
    if share.lastTaken != nil { return close(connection, by: .origin) }
    if isShutDown { return close(connection, by: .client) }
    idle.append(connection)
  }

  /// The origin takes no more requests on a connection, and none after one that it names.
  mutating func goAway(_ connection: Int, lastTaken: Int) {
    let before = shared[connection]?.lastTaken ?? lastTaken
    shared[connection]?.lastTaken = min(before, lastTaken)
  }

  /// Whether a request came after the last one that its connection takes.
  func isUnprocessed(_ ordinal: Int, on connection: Int) -> Bool {
    shared[connection]?.lastTaken.map { ordinal > $0 } ?? false
  }

  /// A connection ends.
  mutating func close(_ connection: Int, by side: OriginEvent.Side) {
    guard let origin = open.removeValue(forKey: connection) else { return }
    let left = openCounts[origin, default: 1] - 1
    openCounts[origin] = left == 0 ? nil : left
    idle.removeAll { $0 == connection }
    ordinals[connection] = nil
    shared[connection] = nil
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
    var fields = wire.headerFields
    if shared[connection] != nil { fields.removeAll { $0.name.isOfConnection } }
    let head = OriginRequest(
      connection: connection, ordinal: ordinal, method: wire.method, target: wire.target,
      headerFields: fields)
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
