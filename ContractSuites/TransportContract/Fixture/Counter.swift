import SystemLocks

/// A thread-safe counter.
final class Counter: Sendable {
  private let number = Mutex(0)

  /// The current count.
  var value: Int { number.withLock { $0 } }

  /// Adds to the count and returns the sum.
  @discardableResult
  func increment(by step: Int = 1) -> Int {
    number.withLock { number in
      number += step
      return number
    }
  }
}
