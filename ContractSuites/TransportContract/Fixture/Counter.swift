import SystemLocks

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
