public import Foundation
import SystemLocks

/// A wall clock that stands still until a clause sets it.
public final class CookieClock: Sendable {
  /// A Monday in 2030, in whole seconds: where the clock stands unless said otherwise.
  public static let start = Date(timeIntervalSince1970: 1_900_000_000)

  private let time: Mutex<Date>

  /// A clock that stands at `start`.
  public init(at start: Date = CookieClock.start) {
    time = Mutex(start)
  }

  /// What the clock shows.
  public var now: Date {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Puts the clock forward by so many seconds, or back by a negative number.
  public func advance(by seconds: TimeInterval) {
    time.withLock { $0 += seconds }
  }
}
