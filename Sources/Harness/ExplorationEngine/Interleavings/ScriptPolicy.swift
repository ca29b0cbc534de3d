/// Follows a recorded schedule; where that says nothing, the base choice runs.
final class ScriptPolicy: SchedulingPolicy {
  private var deviations: [Schedule.Deviation]
  private var next = 0
  /// The first decision that the schedule names but the run could not make.
  private(set) var firstImpossible: Int?

  init(_ schedule: Schedule) { deviations = schedule.deviations }

  /// Whether every recorded deviation came up.
  var isUsedUp: Bool { next == deviations.count }

  func restart() {
    next = 0
    firstImpossible = nil
  }

  func choose(in scheduler: Scheduler, base: Int) -> Int {
    guard scheduler.ready.count > 1, next < deviations.count,
      deviations[next].decision == Int(scheduler.decisions)
    else { return base }
    let deviation = deviations[next]
    next += 1
    guard deviation.choice < scheduler.ready.count else {
      firstImpossible = firstImpossible ?? deviation.decision
      return base
    }
    return deviation.choice
  }
}
