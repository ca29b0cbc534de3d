import Foundation
import SystemLocks

/// A clock that a test sets.
final class TestClock: Sendable {
  private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  var now: @Sendable () -> Date { { self.date.withLock { $0 } } }

  func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
}
