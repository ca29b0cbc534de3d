import TransportPort

/// Limits the concurrent transfers per origin and in all; the others wait.
///
/// Transfers to one origin start in FIFO order, and origins with waiting transfers take turns.
struct CurlQueue {
  /// The state of the connection that the transfers of an HTTP/2 origin share.
  fileprivate enum SharedConnection {
    case usable
    /// GOAWAY was received, so the next transfer must open another connection.
    case goingAway
    /// One transfer opens the next connection, and the others wait for it.
    ///
    /// libcurl lets requests wait for a connection only until it knows that the origin speaks
    /// HTTP/2. After GOAWAY each would open its own.
    case opening
  }

  /// The transfers of one origin.
  final class Lane {
    fileprivate let origin: HTTPOrigin
    fileprivate var running = 0
    fileprivate var isMultiplexed = false
    fileprivate var sharedConnection = SharedConnection.usable

    // The waiting transfers by ticket, so that any of them can be removed in constant time.
    fileprivate var waiting: [Int: CurlTransfer] = [:]
    fileprivate var firstTicket = 0
    fileprivate var nextTicket = 0

    fileprivate init(_ origin: HTTPOrigin) {
      self.origin = origin
    }

    /// Adds a transfer, and returns its ticket.
    fileprivate func append(_ transfer: CurlTransfer) -> Int {
      waiting[nextTicket] = transfer
      defer { nextTicket += 1 }
      return nextTicket
    }

    fileprivate func popFirst() -> CurlTransfer? {
      while firstTicket < nextTicket {
        defer { firstTicket += 1 }
        if let transfer = waiting.removeValue(forKey: firstTicket) { return transfer }
      }
      return nil
    }
  }

  /// What happens to a new transfer.
  enum Admission {
    case mayStart(Lane)
    case waits(Lane, ticket: Int)
  }

  private let configuration: CurlTransport.Configuration
  private var lanes: [HTTPOrigin: Lane] = [:]
  /// The lane of the last transfer; most go to the same origin ("64 concurrent, 1 KiB").
  private var lastLane: Lane?
  /// The number of connections in use; all transfers of a multiplexed origin count as one.
  private var connections = 0
  /// The lanes with waiting transfers; the first one is next.
  private var waitingLanes: [Lane] = []

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  /// Adds a transfer, which may start now or waits.
  mutating func add(_ transfer: CurlTransfer) -> Admission {
    let lane = lane(for: transfer.wire.origin)
    if lane.waiting.isEmpty, reserve(lane) { return .mayStart(lane) }
    if lane.waiting.isEmpty { waitingLanes.append(lane) }
    return .waits(lane, ticket: lane.append(transfer))
  }

  /// Removes a waiting transfer.
  mutating func remove(ticket: Int, from lane: Lane) {
    lane.waiting[ticket] = nil
    guard lane.waiting.isEmpty else { return }
    waitingLanes.removeAll { $0 === lane }
    forgetIfIdle(lane)
  }

  /// All waiting transfers, in no order.
  var waiting: [CurlTransfer] { waitingLanes.flatMap(\.waiting.values) }

  /// Records that an origin speaks HTTP/2, so that its transfers share a connection.
  ///
  /// - Returns: Whether that is new, so that waiting transfers may start: ``next()``.
  mutating func noteMultiplexing(_ lane: Lane) -> Bool {
    guard !lane.isMultiplexed else { return false }
    lane.isMultiplexed = true
    connections -= lane.running - 1
    return true
  }

  /// Records that the shared connection of an origin accepts no more streams.
  func noteGoAway(_ lane: Lane) {
    if lane.sharedConnection == .usable { lane.sharedConnection = .goingAway }
  }

  /// Records that a transfer has a connection.
  ///
  /// - Returns: Whether others waited to share it, which may now start: ``next()``.
  func noteConnection(_ lane: Lane) -> Bool {
    guard lane.sharedConnection == .opening else { return false }
    lane.sharedConnection = .usable
    return true
  }

  /// Records the end of a running transfer.
  ///
  /// - Parameter hadConnection: Whether the transfer ever had a connection.
  mutating func release(_ lane: Lane, hadConnection: Bool) {
    if !hadConnection, lane.sharedConnection == .opening { lane.sharedConnection = .goingAway }
    lane.running -= 1
    if !lane.isMultiplexed || lane.running == 0 { connections -= 1 }
    forgetIfIdle(lane)
  }

  /// Removes and returns the next waiting transfer that may run, with its lane.
  mutating func next() -> (transfer: CurlTransfer, lane: Lane)? {
    for (index, lane) in waitingLanes.enumerated() where reserve(lane) {
      waitingLanes.remove(at: index)
      if lane.waiting.count > 1 { waitingLanes.append(lane) }
      return lane.popFirst().map { ($0, lane) }
    }
    return nil
  }

  private mutating func lane(for origin: HTTPOrigin) -> Lane {
    if let lastLane, lastLane.origin == origin { return lastLane }
    let lane = lanes[origin] ?? Lane(origin)
    lanes[origin] = lane
    lastLane = lane
    return lane
  }

  private mutating func forgetIfIdle(_ lane: Lane) {
    guard lane.running == 0, lane.waiting.isEmpty else { return }
    lanes[lane.origin] = nil
    if lastLane === lane { lastLane = nil }
  }

  private mutating func reserve(_ lane: Lane) -> Bool {
    let limit =
      lane.isMultiplexed
      ? configuration.maximumStreamsPerOrigin : configuration.limits.perOrigin
    guard lane.running < max(1, limit), lane.sharedConnection != .opening else { return false }
    if !lane.isMultiplexed || lane.running == 0 {
      guard connections < configuration.limits.total else { return false }
      connections += 1
    }
    if lane.sharedConnection == .goingAway { lane.sharedConnection = .opening }
    lane.running += 1
    return true
  }
}
