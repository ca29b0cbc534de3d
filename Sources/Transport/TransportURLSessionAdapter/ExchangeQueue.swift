import TransportPort

/// Limits the concurrent exchanges per origin and in all; the others wait in FIFO order.
struct ExchangeQueue {
  private let limits: ConnectionLimits
  private var running: [ObjectIdentifier: URLSessionExchange] = [:]
  private var counts: [HTTPOrigin: Int] = [:]
  private var waiting: [URLSessionExchange] = []

  init(_ limits: ConnectionLimits) {
    self.limits = limits
  }

  /// Adds an exchange.
  ///
  /// - Returns: Whether it may run now; otherwise it waits.
  mutating func add(_ exchange: URLSessionExchange) -> Bool {
    guard hasRoom(for: exchange.origin) else {
      waiting.append(exchange)
      return false
    }
    run(exchange)
    return true
  }

  /// Removes a waiting or running exchange.
  ///
  /// - Returns: The waiting exchanges that may run now.
  mutating func remove(_ exchange: URLSessionExchange) -> [URLSessionExchange] {
    guard running.removeValue(forKey: ObjectIdentifier(exchange)) != nil else {
      waiting.removeAll { $0 === exchange }
      return []
    }
    let left = counts[exchange.origin, default: 1] - 1
    counts[exchange.origin] = left == 0 ? nil : left
    guard let index = waiting.firstIndex(where: { hasRoom(for: $0.origin) }) else { return [] }
    let next = waiting.remove(at: index)
    run(next)
    return [next]
  }

  /// Removes and returns all exchanges.
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
