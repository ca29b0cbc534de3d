import ContractLocks
import TransportPort

extension OriginPlan {
  /// A plan that answers each request by the next script; the last one stays.
  init(inTurn scripts: [OriginScript], identity: Identity = .trusted) {
    let next = Counter()
    self.init(identity: identity) { _ in
      scripts.isEmpty ? .respond() : scripts[min(next.increment() - 1, scripts.count - 1)]
    }
  }
}

/// A number that several tasks may raise.
final class Counter: Sendable {
  private let number = Mutex(0)

  /// The number.
  var value: Int { number.withLock { $0 } }

  /// Adds to the number and gives the sum.
  @discardableResult
  func increment(by step: Int = 1) -> Int {
    number.withLock { number in
      number += step
      return number
    }
  }
}
