import SystemPlatform

/// Who may read (4), write (2), and execute or search (1): a digit for the owner, one for the group and one for
/// others, as `0o640`.
public struct Permissions: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible
{
  /// The nine bits.
  public let mode: UInt16

  /// Creates permissions from nine bits. Others are dropped.
  public init(mode: UInt16) { self.mode = mode & 0o777 }

  public init(integerLiteral mode: UInt16) { self.init(mode: mode) }

  /// Three octal digits: `640`.
  public var description: String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}

/// A point in time, as file systems keep it.
public struct FileTime: Hashable, Sendable, Comparable {
  /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let seconds: Int64
  /// Nanoseconds after the second, 0 to 999,999,999.
  public let nanoseconds: Int32

  /// Creates a time.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since the beginning of 1970.
  ///   - nanoseconds: Nanoseconds after the second. What is outside of 0 to 999,999,999 becomes the nearest.
  public init(seconds: Int64, nanoseconds: Int32 = .zero) {
    self.seconds = seconds
    self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
  }

  /// The time of the system's clock.
  public static var now: FileTime {
    let (seconds, nanoseconds) = wallClock()
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  public static func < (a: FileTime, b: FileTime) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }
}
