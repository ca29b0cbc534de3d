public import ContractTesting
public import ExplorationEngine
import SystemLocks
public import Testing

/// Runs commands in several tasks under every schedule up to a bound, then random ones, and asks of
/// each history whether the model allows it.
///
/// Time is virtual while the tasks run. A failure ends in a trace, one column a task, and a schedule
/// that replays exactly.
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: What to explore; each schedule gets a fixture of its own.
///   - tasks: How many tasks use it at once, from 1.
///   - commands: How many commands each task performs, from 1.
///   - programs: How many sets of commands to draw.
///   - options: Budget, seed, what the tasks may share.
///   - sourceLocation: The place of the call.
/// - Throws: ``OutsideTestError`` when no test is running; ``EnvironmentError`` for a variable
///   that can't be read.
public func exploreInterleavings<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, tasks: Int = 2,
  commands: Int = 2, programs: Int = 20, options: InterleavingOptions = .init(),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Subject: Sendable {
  let settings = ExplorationSettings(
    runs: options.schedules, time: options.time, seed: options.seed)
  try await exploring(implementation, "exploreInterleavings", settings) { settings in
    var options = options
    options.seed = settings.firstSeedOfMany
    options.schedules = settings.runs
    options.time = settings.time ?? options.time
    let latest = Mutex<ScopedSubject<Spec.Subject>?>(nil)
    let report = await ExplorationEngine.exploreInterleavings(
      specification,
      makeSubject: {
        let subject = try runBlocking { () async throws -> ScopedSubject<Spec.Subject> in
          try await latest.withLock { $0.take() }?.tearDown()
          return try await ScopedSubject(implementation)
        }
        latest.withLock { $0 = subject }
        return subject.fixture
      }, tasks: tasks, commands: commands, programs: programs, options: options)
    do {
      try await latest.withLock { $0.take() }?.tearDown()
    } catch {
      Issue.record(error, "the fixture could not be torn down", sourceLocation: sourceLocation)
    }
    ExplorationProgressLine.say(
      "explored interleavings of \(implementation.id): \(report.summary)")
    if report.report.failure != nil || !report.report.uncontrolled.isEmpty
      || !report.health.isEmpty
    {
      Issue.record("on \(implementation.id): \(report)", sourceLocation: sourceLocation)
    }
  }
}
