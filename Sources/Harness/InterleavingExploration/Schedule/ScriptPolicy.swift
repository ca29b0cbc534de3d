import ExplorationEngine

/// Follows a recorded schedule, and chooses the base job where it has no deviation.
final class ScriptPolicy: SchedulingPolicy {
  private var deviations: [Schedule.Deviation]
  private var next = 0
  /// The first decision of the schedule whose choice is impossible in the run.
  private(set) var firstImpossible: Int?

  init(_ schedule: Schedule) { deviations = schedule.deviations }

  /// Whether the run reached every recorded deviation.
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
