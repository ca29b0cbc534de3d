@testable import ExplorationEngine
@testable import InterleavingExploration

/// Explores a program of one task, `A`, and collects what its log holds at the end of each schedule.
///
/// - Parameters:
///   - runs: The most schedules.
///   - body: The task's operation, with the log.
func exploreTask(
  runs: Int = ExplorationSettings.interleavings().runs,
  _ body: @escaping @Sendable (Mutexed) async -> Void
) async -> (InterleavingReport, Set<String>) {
  let outcomes = Collected()
  var settings = ExplorationSettings.interleavings()
  settings.runs = runs
  // On a busy machine, another thread may take seconds.
  settings.outsideWait = .seconds(30)
  let report = await exploreInterleavings(settings) { program in
    let log = Mutexed()
    program.task("A") { await body(log) }
    program.check { () throws -> Void in outcomes.insert(log.text) }
  }
  return (report, outcomes.values)
}
