import ExplorationEngine
import SystemPlatform

/// Prints the schedule in which the process crashes, such as when a continuation is resumed twice.
enum CrashedSchedule {
  static func install() { _ = installed }

  private static let installed: Void = CrashHandler.install {
    guard let scheduler = Scheduler.current.value, let text = text(of: scheduler) else {
      return
    }
    writeToStandardError(text)
  }

  /// The report of a crash in a scheduler's job, or `nil` if none is running.
  private static func text(of scheduler: Scheduler) -> String? {
    guard let (schedule, trace) = scheduler.interruptedStep(hasLines: false) else { return nil }
    return """

      The process crashes in step \(scheduler.steps.count) of this schedule:
      \(trace)
      replay: try Schedule("\(schedule)")

      """
  }
}

extension Scheduler {
  /// Closes a step whose job does not go on, and describes the steps up to it; `nil` if none is open.
  func interruptedStep(hasLines: Bool = true) -> (schedule: Schedule, trace: String)? {
    guard isStepOpen else { return nil }
    closeInterruptedStep()
    var outcome = RunOutcome(end: .cutOff)
    outcome.steps = steps[...]
    var schedule = outcome.schedule
    // The digest is that of a whole run.
    schedule.digest = 0
    return (schedule, ScheduleTrace(self, steps: steps.count, hasLines: hasLines).text)
  }
}
