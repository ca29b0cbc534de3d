import Foundation

/// Counts the time in which a process is silent although it could speak.
///
/// The time in which a thread of the process waits for a processor does not count, as Linux reports it
/// in `/proc/PID/task/TID/schedstat`. Without that report only the processor time counts, or the whole
/// time if there is none, because then the process is blocked.
struct SilenceClock {
  /// The longest slice, in seconds: on two processors, a process that computes beside 40 others
  /// still gets one tick of 10 ms.
  static let slice = 0.2

  /// What the system says of a process.
  struct Use {
    /// The seconds of processor time.
    var used: Double
    /// The seconds in which its threads, taken together, waited for a processor, or `nil` if the
    /// system does not report it.
    var delayed: Double?
  }

  private let process: pid_t
  private var instant = ContinuousClock.now
  private var use: Use?

  /// Starts to count.
  init(of process: pid_t) { self.process = process }

  /// Ends a slice.
  ///
  /// - Returns: The seconds of it that count.
  mutating func advance() -> Double {
    let now = ContinuousClock.now
    let useNow = Self.use(of: process)
    defer {
      instant = now
      use = useNow
    }
    return Self.count(instant.duration(to: now) / .seconds(1), from: use, to: useNow)
  }

  /// How much of a slice counts.
  ///
  /// - Parameters:
  ///   - use: The use before the slice, or `nil` if it is not known.
  ///   - useNow: The use after it.
  static func count(_ slice: Double, from use: Use?, to useNow: Use?) -> Double {
    guard let use, let useNow else { return slice }
    let used = min(slice, max(0, useNow.used - use.used))
    guard let delayed = use.delayed, let delayedNow = useNow.delayed else {
      return used > 0 ? used : slice
    }
    // While one thread waits, another may run.
    return max(used, slice - max(0, delayedNow - delayed))
  }

  /// The use of a process, or `nil` if the system has no proc(5).
  private static func use(of process: pid_t) -> Use? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    // The program's name, in parentheses, is the second field; utime and stime are the 14th and 15th.
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return nil
    }
    return Use(
      used: (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))), delayed: delay(of: process))
  }

  private static func delay(of process: pid_t) -> Double? {
    let tasks = "/proc/\(process)/task"
    guard let threads = try? FileManager.default.contentsOfDirectory(atPath: tasks) else {
      return nil
    }
    var sum: Double?
    for thread in threads {
      // A thread that has ended meanwhile has no file. Nanoseconds that it ran, nanoseconds that it
      // waited, and a count.
      guard let text = try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8),
        case let fields = text.split(separator: " "), fields.count > 1,
        let nanoseconds = Double(fields[1])
      else { continue }
      sum = (sum ?? 0) + nanoseconds / 1e9
    }
    return sum
  }
}
