import Foundation

/// Counts the time in which a process is silent although it could speak.
///
/// If the process took no processor time in a slice of time, it is blocked, and the slice counts.
/// Otherwise only its processor time counts: in the rest it waited for a processor.
struct SilenceClock {
  /// The longest slice, in seconds: on two processors, a process that computes beside 40 others
  /// still gets one tick of 10 ms.
  static let slice = 0.2

  private let process: pid_t
  private var instant = ContinuousClock.now
  private var used: Double?

  /// Starts to count.
  init(of process: pid_t) { self.process = process }

  /// Ends a slice.
  ///
  /// - Returns: The seconds of it that count.
  mutating func advance() -> Double {
    let now = ContinuousClock.now
    let usedNow = Self.processorTime(of: process)
    defer {
      instant = now
      used = usedNow
    }
    return Self.count(instant.duration(to: now) / .seconds(1), used: used, usedNow)
  }

  /// How much of a slice counts.
  ///
  /// - Parameters:
  ///   - used: The processor time before the slice, or `nil` if it is not known.
  ///   - usedNow: The processor time after it.
  static func count(_ slice: Double, used: Double?, _ usedNow: Double?) -> Double {
    guard let used, let usedNow, usedNow > used else { return slice }
    return min(slice, usedNow - used)
  }

  /// The seconds of processor time that a process took, or `nil` if the system has no proc(5).
  private static func processorTime(of process: pid_t) -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    // The program's name, in parentheses, is the second field; utime and stime are the 14th and 15th.
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return nil
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
