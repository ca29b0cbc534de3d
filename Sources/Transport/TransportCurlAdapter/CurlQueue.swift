import TransportPort

/// Decides which transfers may run: so many in all, so many for each origin, the others in turn.
struct CurlQueue {
  /// The transfers of one origin.
  final class Lane {
    fileprivate let origin: HTTPOrigin
    fileprivate var running = 0
    fileprivate var isMultiplexed = false

    // Those in line, by the tickets that they drew, so that each can leave the line at once.
    fileprivate var waiting: [Int: CurlTransfer] = [:]
    fileprivate var firstTicket = 0
    fileprivate var nextTicket = 0

    fileprivate init(_ origin: HTTPOrigin) {
      self.origin = origin
    }

    fileprivate func append(_ transfer: CurlTransfer) {
      waiting[nextTicket] = transfer
      transfer.place = .waiting(self, ticket: nextTicket)
      nextTicket += 1
    }

    fileprivate func popFirst() -> CurlTransfer? {
      while firstTicket < nextTicket {
        defer { firstTicket += 1 }
        if let transfer = waiting.removeValue(forKey: firstTicket) { return transfer }
      }
      return nil
    }
  }

  private let configuration: CurlTransport.Configuration
  private var lanes: [HTTPOrigin: Lane] = [:]
  /// The lane that was looked for last, which most often is the next as well.
  private var latest: Lane?
  /// Connections in use; all transfers of a multiplexed origin count as one.
  private var connections = 0
  /// Lanes with waiting transfers, the one whose turn it is first.
  private var waitingLanes: [Lane] = []

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  /// Takes a transfer in.
  ///
  /// - Returns: Its lane if it may run now; if not, it waits.
  mutating func add(_ transfer: CurlTransfer) -> Lane? {
    let lane = lane(for: transfer.wire.origin)
    if waitingLanes.isEmpty || lane.waiting.isEmpty, reserve(lane) { return lane }
    if lane.waiting.isEmpty { waitingLanes.append(lane) }
    lane.append(transfer)
    return nil
  }

  /// Takes a waiting transfer out.
  mutating func remove(ticket: Int, from lane: Lane) {
    lane.waiting[ticket]?.place = .nowhere
    lane.waiting[ticket] = nil
    guard lane.waiting.isEmpty else { return }
    waitingLanes.removeAll { $0 === lane }
    forgetIfIdle(lane)
  }

  /// Takes all waiting transfers out.
  mutating func removeAll() -> [CurlTransfer] {
    defer { waitingLanes = [] }
    return waitingLanes.flatMap { lane in
      var all: [CurlTransfer] = []
      while let transfer = lane.popFirst() { all.append(transfer) }
      return all
    }
  }

  /// Notes that an origin speaks HTTP/2, so that its transfers share a connection.
  mutating func noteMultiplexing(_ lane: Lane) {
    guard !lane.isMultiplexed else { return }
    lane.isMultiplexed = true
    connections -= max(0, lane.running - 1)
  }

  /// Notes that a running transfer has ended.
  mutating func release(_ lane: Lane) {
    lane.running -= 1
    if !lane.isMultiplexed || lane.running == 0 { connections -= 1 }
    forgetIfIdle(lane)
  }

  /// The next waiting transfer that may run, and its lane, if there is one.
  mutating func next() -> (transfer: CurlTransfer, lane: Lane)? {
    for (place, lane) in waitingLanes.enumerated() where reserve(lane) {
      guard let transfer = lane.popFirst() else {
        release(lane)
        continue
      }
      waitingLanes.remove(at: place)
      if !lane.waiting.isEmpty { waitingLanes.append(lane) }
      return (transfer, lane)
    }
    return nil
  }

  private mutating func lane(for origin: HTTPOrigin) -> Lane {
    if let latest, latest.origin == origin { return latest }
    let lane = lanes[origin] ?? Lane(origin)
    lanes[origin] = lane
    latest = lane
    return lane
  }

  private mutating func forgetIfIdle(_ lane: Lane) {
    guard lane.running == 0, lane.waiting.isEmpty else { return }
    lanes[lane.origin] = nil
    if lane === latest { latest = nil }
  }

  private mutating func reserve(_ lane: Lane) -> Bool {
    let limit =
      lane.isMultiplexed
      ? configuration.maximumStreamsPerOrigin : configuration.limits.perOrigin
    guard lane.running < max(1, limit) else { return false }
    if !lane.isMultiplexed || lane.running == 0 {
      guard connections < configuration.limits.total else { return false }
      connections += 1
    }
    lane.running += 1
    return true
  }
}
