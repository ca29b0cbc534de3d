import TransportPort

/// Decides which exchanges may run: so many in all, so many for each origin, the others in turn.
struct ExchangeQueue {
  private let limits: ConnectionLimits
  private var running: [ObjectIdentifier: URLSessionExchange] = [:]
  private var counts: [HTTPOrigin: Int] = [:]
  private var waiting: [URLSessionExchange] = []

  init(_ limits: ConnectionLimits) {
    self.limits = limits
  }

  /// Takes an exchange in.
  ///
  /// - Returns: Whether it may run now; if not, it waits.
  mutating func add(_ exchange: URLSessionExchange) -> Bool {
    guard hasRoom(for: exchange.origin) else {
      waiting.append(exchange)
      return false
    }
    run(exchange)
    return true
  }

  /// Takes an exchange out, whether it waits or runs.
  ///
  /// - Returns: Those that waited and may run now.
  mutating func remove(_ exchange: URLSessionExchange) -> [URLSessionExchange] {
    guard running.removeValue(forKey: ObjectIdentifier(exchange)) != nil else {
      waiting.removeAll { $0 === exchange }
      return []
    }
    let left = counts[exchange.origin, default: 1] - 1
    counts[exchange.origin] = left == 0 ? nil : left
    guard let place = waiting.firstIndex(where: { hasRoom(for: $0.origin) }) else { return [] }
    let next = waiting.remove(at: place)
    run(next)
    return [next]
  }

  /// Takes all exchanges out.
  mutating func removeAll() -> [URLSessionExchange] {
    defer { self = ExchangeQueue(limits) }
    return running.values + waiting
  }

  private func hasRoom(for origin: HTTPOrigin) -> Bool {
    running.count < limits.total && counts[origin, default: 0] < limits.perOrigin
  }

  private mutating func run(_ exchange: URLSessionExchange) {
    running[ObjectIdentifier(exchange)] = exchange
    counts[exchange.origin, default: 0] += 1
  }
}
