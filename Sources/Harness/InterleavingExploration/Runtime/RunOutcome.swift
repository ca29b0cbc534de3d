import ExplorationEngine

/// How one run of a program ended, and its steps.
struct RunOutcome {
  var end: Scheduler.End
  var failure: InterleavingFailure?
  /// The steps before the checks.
  var steps: ArraySlice<Scheduler.Step> = []
  /// Whether the run met a kind of point that it did not heed from the start.
  var hasNewPoints = false
  /// Whether the run has met a primitive that needs a thread for each job.
  var needsThreads = false
  /// The steps as text, if the run was traced.
  var trace = ""

  var digest: UInt32 { Scheduler.digest(steps) }

  /// The number of decisions.
  var decisions: Int { steps.last { $0.decision >= 0 }.map { Int($0.decision) + 1 } ?? 0 }

  var schedule: Schedule {
    Schedule(
      deviations: steps.lazy.filter { $0.decision >= 0 && $0.isDeviation }
        .map { Schedule.Deviation(decision: Int($0.decision), choice: Int($0.choice)) },
      digest: digest)
  }

  /// The number of times that a task was preempted although it could continue.
  var preemptions: Int { steps.lazy.filter(\.isPreemption).count }
}
