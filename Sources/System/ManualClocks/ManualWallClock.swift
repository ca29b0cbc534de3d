public import Foundation
import SystemLocks

/// A wall clock whose time changes only when a test sets or advances it.
///
/// Give ``now`` to the code under test in place of `Date()`.
public final class ManualWallClock: Sendable {
  /// The default start: 2030-03-17 17:46:40 UTC, in whole seconds.
  public static let start = Date(timeIntervalSince1970: 1_900_000_000)

  private let time: Mutex<Date>

  /// Creates a clock that shows `start`.
  public init(at start: Date = ManualWallClock.start) {
    time = Mutex(start)
  }

  /// The time that the clock shows.
  public var now: Date {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Moves the clock by a number of seconds, which may be negative.
  public func advance(by seconds: TimeInterval) {
    time.withLock { $0 += seconds }
  }
}
