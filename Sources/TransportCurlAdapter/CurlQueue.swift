import TransportPort

/// Decides which transfers may run: so many in all, so many for each origin, the others in turn.
struct CurlQueue {
  private struct Lane {
    var running = 0
    var waiting: [CurlTransfer] = []
    var first = 0
    var isMultiplexed = false

    var isEmpty: Bool { first == waiting.count }
  }

  private let configuration: CurlTransport.Configuration
  private var lanes: [HTTPOrigin: Lane] = [:]
  /// Connections in use; all transfers of a multiplexed origin count as one.
  private var connections = 0
  /// Origins with waiting transfers, the one whose turn it is first.
  private var waitingOrigins: [HTTPOrigin] = []

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  /// Takes a transfer in.
  ///
  /// - Returns: Whether it may run now; if not, it waits.
  mutating func add(_ transfer: CurlTransfer) -> Bool {
    let origin = transfer.wire.origin
    if waitingOrigins.isEmpty || lanes[origin]?.isEmpty != false, reserve(origin) { return true }
    if lanes[origin]?.isEmpty != false { waitingOrigins.append(origin) }
    lanes[origin, default: Lane()].waiting.append(transfer)
    return false
  }

  /// Takes a waiting transfer out.
  ///
  /// - Returns: Whether it was waiting.
  mutating func remove(_ transfer: CurlTransfer) -> Bool {
    let origin = transfer.wire.origin
    guard var lane = lanes[origin],
      let place = lane.waiting[lane.first...].firstIndex(where: { $0 === transfer })
    else { return false }
    lane.waiting.remove(at: place)
    lanes[origin] = lane
    if lane.isEmpty { waitingOrigins.removeAll { $0 == origin } }
    return true
  }

  /// Takes all waiting transfers out.
  mutating func removeAll() -> [CurlTransfer] {
    let all = lanes.values.flatMap { $0.waiting[$0.first...] }
    for origin in waitingOrigins {
      lanes[origin]?.waiting = []
      lanes[origin]?.first = 0
    }
    waitingOrigins = []
    return all
  }

  /// Notes that an origin speaks HTTP/2, so that its transfers share a connection.
  mutating func noteMultiplexing(_ origin: HTTPOrigin) {
    guard let lane = lanes[origin], !lane.isMultiplexed else { return }
    lanes[origin]?.isMultiplexed = true
    connections -= max(0, lane.running - 1)
  }

  /// Notes that a running transfer has ended.
  mutating func release(_ origin: HTTPOrigin) {
    guard var lane = lanes[origin] else { return }
    lane.running -= 1
    if !lane.isMultiplexed || lane.running == 0 { connections -= 1 }
    lanes[origin] = lane.running == 0 && lane.isEmpty ? nil : lane
  }

  /// The next waiting transfer that may run, if there is one.
  mutating func next() -> CurlTransfer? {
    for (place, origin) in waitingOrigins.enumerated() where reserve(origin) {
      guard var lane = lanes[origin] else { continue }
      let transfer = lane.waiting[lane.first]
      lane.first += 1
      if lane.isEmpty || lane.first > 1024 {
        lane.waiting.removeFirst(lane.first)
        lane.first = 0
      }
      lanes[origin] = lane
      waitingOrigins.remove(at: place)
      if !lane.isEmpty { waitingOrigins.append(origin) }
      return transfer
    }
    return nil
  }

  private mutating func reserve(_ origin: HTTPOrigin) -> Bool {
    let lane = lanes[origin] ?? Lane()
    let limit =
      lane.isMultiplexed
      ? configuration.maximumStreamsPerOrigin : configuration.limits.perOrigin
    guard lane.running < max(1, limit) else { return false }
    if !lane.isMultiplexed || lane.running == 0 {
      guard connections < configuration.limits.total else { return false }
      connections += 1
    }
    lanes[origin, default: lane].running += 1
    return true
  }
}
