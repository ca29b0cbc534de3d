import Foundation

/// What judges spend their time on, in seconds.
struct JudgingTime {
  /// Starting processes.
  var starting = 0.0
  /// Running a case that failed again.
  var confirming = 0.0
  /// Running cases on mutants that survive: all that reach them.
  var surviving = 0.0
  /// Running cases on other mutants.
  var noticing = 0.0

  /// The seconds since an instant.
  static func since(_ instant: ContinuousClock.Instant) -> Double {
    instant.duration(to: .now) / .seconds(1)
  }

  static func + (one: Self, other: Self) -> Self {
    Self(
      starting: one.starting + other.starting, confirming: one.confirming + other.confirming,
      surviving: one.surviving + other.surviving, noticing: one.noticing + other.noticing)
  }

  /// The parts of the whole, as a clause of a sentence.
  var text: String {
    let whole = max(starting + confirming + surviving + noticing, 0.001)
    func percent(_ part: Double) -> String { "\(Int((100 * part / whole).rounded())) %" }
    return
      "\(percent(starting)) of the time to start processes, "
      + "\(percent(noticing)) to notice mutants, \(percent(confirming)) to confirm that, "
      + "\(percent(surviving)) on those that survive"
  }

  /// The seconds of processor time that this process, and the children that it has waited for, took
  /// (times(2)).
  static var processor: Double {
    var used = tms()
    _ = times(&used)
    let ticks = used.tms_utime + used.tms_stime + used.tms_cutime + used.tms_cstime
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
