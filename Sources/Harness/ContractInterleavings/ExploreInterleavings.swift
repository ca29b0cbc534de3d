public import ContractExploration
public import ContractTesting
import InterleavingExploration
import SystemLocks
public import Testing

/// Runs random commands on an implementation from several tasks under many schedules, and checks
/// that each history is linearizable.
///
/// The tasks run on one thread, in virtual time, and are switched at suspension points. The issue
/// of a failure has a trace with a column for each task, and a schedule that replays exactly.
///
/// An implementation that is `.inOwnProcess()` is explored in another process. A program that ends
/// it, or ended this one, is reported with the fewest commands that do.
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: The implementation to explore. Each schedule has a separate fixture.
///   - tasks: The number of tasks that use it concurrently, from 1.
///   - commands: The number of commands of each task, from 1.
///   - programs: The number of programs to draw, each with different commands.
///   - settings: The limits and the seed; environment variables override the
///     limits and the seed.
///   - sourceLocation: The source location of the call.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with
///   an invalid value.
public func exploreInterleavings<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, tasks: Int = 2,
  commands: Int = 2, programs: Int = 20, settings: ExplorationSettings = .interleavings(),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Subject: Sendable {
  try await exploringPrograms(
    specification, on: implementation, "exploreInterleavings", settings, at: sourceLocation
  ) { settings, key in
    // Schedules run one after another, so there is one fixture at a time.
    let current = Mutex<ScopedSubject<Spec.Subject>?>(nil)
    return interleavingPrograms(
      of: specification,
      makeSubject: {
        let subject = try runOutsideSchedule { try await ScopedSubject(implementation) }
        current.withLock { $0 = subject }
        return subject.fixture
      },
      tearDown: { _ in
        guard let subject = current.withLock({ $0.take() }) else { return }
        try runOutsideSchedule { try await subject.tearDown() }
      }, tasks: tasks, commands: commands, programs: programs, settings: settings, key: key)
  }
}
