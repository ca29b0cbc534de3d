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
    guard scheduler.isStepOpen else { return nil }
    scheduler.closeInterruptedStep()
    let steps = scheduler.steps
    var outcome = RunOutcome(end: .cutOff)
    outcome.steps = steps[...]
    var schedule = outcome.schedule
    // The digest is that of a whole run.
    schedule.digest = 0
    return """

      The process crashes in step \(steps.count) of this schedule:
      \(ScheduleTrace(scheduler, steps: steps.count, hasLines: false).text)
      replay: try Schedule("\(schedule)")

      """
  }
}
