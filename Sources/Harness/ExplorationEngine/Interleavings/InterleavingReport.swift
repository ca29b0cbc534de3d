/// What an exploration of interleavings has found.
public struct InterleavingReport: Sendable, CustomStringConvertible {
  /// The schedules that were run to search, without replays and minimisation.
  public internal(set) var schedules = 0
  /// Whether every interleaving of the tasks was covered: without a failure, that is a proof.
  ///
  /// Tasks interleave at every suspension point. It is a proof for these tasks, this state and the
  /// declared ``SharedState``; it is never given when work ran outside the schedules.
  public internal(set) var isExhaustive = false
  /// How many schedules covered every interleaving, if the tasks share state in actors alone; `nil`
  /// while not all of these were run.
  public internal(set) var actorSchedules: Int?
  /// The failure, as small as it could be made, or `nil`.
  public internal(set) var failure: InterleavingFailure?
  /// Work that no schedule could order, named.
  public internal(set) var uncontrolled: [UncontrolledWork] = []
  /// Schedules that were given up because they took too many steps.
  public internal(set) var cutOff = 0
  /// Remarks: a stale recorded schedule, a wait that was given up.
  public internal(set) var remarks: [String] = []
  /// The seed of the search.
  public internal(set) var seed: UInt64 = 0

  /// The whole report as text.
  public var description: String {
    var lines: [String] = []
    if let failure {
      lines.append(failure.description)
    } else if isExhaustive {
      lines.append("No interleaving fails: all were covered by \(schedules) schedules.")
    } else if let actorSchedules {
      lines.append(
        "No failure in \(schedules) schedules (seed \(seed)). If the tasks share state in actors "
          + "alone, \(actorSchedules) covered every interleaving: say `sharing: .actorsOnly`. If "
          + "not, there are more.")
    } else {
      lines.append(
        "No failure in \(schedules) schedules (seed \(seed)); there are more interleavings.")
    }
    if cutOff > 0 { lines.append("\(cutOff) schedules were given up after too many steps.") }
    for work in uncontrolled { lines.append("Outside the schedules: \(work).") }
    lines += remarks
    return lines.joined(separator: "\n")
  }
}

/// A schedule under which a program fails.
public struct InterleavingFailure: Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Kind: Sendable, Hashable {
    /// A task or a check threw an error of this type.
    case error(type: String)
    /// Nothing could go on: no ready job, no timer, no work on another thread.
    case deadlock
  }

  /// What went wrong.
  public internal(set) var kind: Kind
  /// The error in words, or who waits.
  public internal(set) var message: String
  /// The error that was thrown, if one was.
  public internal(set) var error: (any Error)?
  /// The task or check that threw.
  public internal(set) var task: String?
  /// The schedule, which fails every time, in this process and in another.
  public internal(set) var schedule: Schedule = .firstInFirstOut
  /// How often a task was interrupted that could have gone on.
  public internal(set) var preemptions = 0
  /// The steps, one column a task.
  public internal(set) var trace = ""
  /// How many schedules were run until the first failure.
  public internal(set) var foundAfter = 0
  /// How many schedules minimisation ran.
  public internal(set) var minimisationRuns = 0
  /// How many of ``replays`` failed in the same way; fewer means that it is flaky.
  public internal(set) var reproduced = 0
  /// How often the minimised schedule was run again.
  public internal(set) var replays = 0

  /// The failure as text, with the trace and what to paste to see it again.
  public var description: String {
    var lines = [message]
    if let task { lines[0] = "\(task): \(message)" }
    lines.append(
      "found after \(foundAfter) schedules; minimised to \(preemptions) preemptions in "
        + "\(minimisationRuns) more")
    if reproduced < replays {
      lines.append("flaky: the schedule failed in \(reproduced) of \(replays) replays")
    }
    lines.append(trace)
    lines.append("replay: try Schedule(\"\(schedule)\")")
    return lines.joined(separator: "\n")
  }
}
