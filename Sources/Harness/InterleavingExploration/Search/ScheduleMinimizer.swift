import ExplorationEngine

/// Simplifies a failing schedule by running variants of it.
///
/// A simpler schedule has fewer preemptions, then fewer deviations from FIFO order, then fewer
/// steps. The minimizer first removes deviations. Then it tries the schedules with
/// fewer preemptions than the best so far, from none upwards, within a budget of 20,000 runs and 3
/// seconds.
final class ScheduleMinimizer {
  struct Candidate {
    var schedule: Schedule
    var preemptions: Int
    var steps: Int

    func isSimpler(than other: Candidate) -> Bool {
      (preemptions, schedule.deviations.count, steps)
        < (other.preemptions, other.schedule.deviations.count, other.steps)
    }
  }

  private static let mostRuns = 20_000
  private static let mostTime: Duration = .seconds(3)

  private let runner: ProgramRunner
  private let kind: InterleavingFailure.Kind
  private let deadline = ContinuousClock().now.advanced(by: mostTime)
  private(set) var runs = 0

  init(runner: ProgramRunner, kind: InterleavingFailure.Kind) {
    self.runner = runner
    self.kind = kind
  }

  /// The simplest variant found that fails in the same way, or `nil` if the schedule itself does
  /// not fail.
  func minimize(_ schedule: Schedule) -> Candidate? {
    guard var best = attempt(ScriptPolicy(schedule)) else { return nil }
    removeDeviations(from: &best)
    searchFewerPreemptions(than: &best)
    removeDeviations(from: &best)
    return best
  }

  private var isOver: Bool {
    runs >= Self.mostRuns || ContinuousClock().now > deadline
  }

  private func attempt(_ policy: some SchedulingPolicy) -> Candidate? {
    runs += 1
    let outcome = runner.run(policy)
    guard let failure = outcome.failure, failure.kind == kind else { return nil }
    return Candidate(
      schedule: outcome.schedule, preemptions: outcome.preemptions,
      steps: outcome.steps.count)
  }

  private func removeDeviations(from best: inout Candidate) {
    var before: Schedule
    repeat {
      before = best.schedule
      _ = minimized(before.deviations, until: isOver) { deviations in
        var variant = before
        variant.deviations = deviations
        guard let candidate = attempt(ScriptPolicy(variant)), candidate.isSimpler(than: best) else {
          return false
        }
        best = candidate
        return true
      }
    } while best.schedule != before && !isOver
  }

  private func searchFewerPreemptions(than best: inout Candidate) {
    let search = BoundedSearch(seed: 0)
    while let bound = search.bound, bound <= best.preemptions, !isOver {
      // With as many preemptions as the best, only a schedule with fewer deviations is simpler, and
      // each preemption takes a deviation.
      if bound == best.preemptions && best.schedule.deviations.count <= max(1, bound) { return }
      search.begin()
      if let candidate = attempt(search), candidate.isSimpler(than: best) { best = candidate }
      search.advance()
    }
  }
}
