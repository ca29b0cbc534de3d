public import ContractTesting
public import ExplorationEngine
import Foundation
public import Testing

/// Runs random commands on an implementation and on the model, and compares their responses.
///
/// A failure is shrunk, saved next to the test, and recorded as an issue with a test and a clause to
/// paste. Saved examples are replayed first. An implementation that is `.inOwnProcess()` is explored
/// in another process, which runs this test function only, and a crash there is a failure like any
/// other. The environment variables `CONTRACT_EXPLORE_RUNS`,
/// `CONTRACT_EXPLORE_SECONDS`, `CONTRACT_EXPLORE_SEED` and `CONTRACT_EXPLORE_SHARD` (such as
/// `3/16`) override the settings.
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: The implementation to explore. Each run has a separate fixture.
///   - settings: The limits and seeds.
///   - filePath: The path of the test's file. Examples are saved in a folder next to it.
///   - sourceLocation: The source location of the call.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with
///   an invalid value.
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  settings: ExplorationSettings = .init(runs: 200), filePath: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Command: Codable {
  let name = ExplorationProcess.name(
    "explore", specification.source, on: implementation.id, at: sourceLocation)
  try await exploring(implementation, "explore", settings, in: name) { settings in
    var engine = lockStep(specification, on: implementation, settings, name)
      .storing(in: ExampleStore(besideFile: filePath))
    if ExplorationProcess.isAssigned { await engine.serve(STDIN_FILENO) }
    engine.onProgress = { ExplorationProgressLine.show($0, on: implementation.id) }
    let report = await engine.explore()
    ExplorationProgressLine.clear()
    ExplorationProgressLine.say("explored \(implementation.id): \(report.summary)")
    if !report.isClean {
      Issue.record(
        "on \(implementation.id): \(report)\n\(rerunCommand(seed: report.seed))",
        sourceLocation: sourceLocation)
    }
  }
}

/// Runs given commands on an implementation and on the model, and compares their responses.
///
/// The test that ``explore(_:on:settings:filePath:sourceLocation:)`` prints for a failure makes
/// this call. It names the implementation by its id in camel case: `in-memory` becomes `.inMemory`.
///
/// - Parameters:
///   - specification: The model.
///   - implementation: The implementation to run the commands on.
///   - commands: The commands, in order.
///   - sourceLocation: The source location of the call.
/// - Throws: `OutsideTestError` if no test is running.
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, commands: [Spec.Command],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let name = ExplorationProcess.name(
    "explore(commands:)", specification.source, on: implementation.id, at: sourceLocation)
  try await exploring(implementation, "explore", .init(), in: name) { settings in
    let engine = lockStep(specification, on: implementation, settings, name)
    if ExplorationProcess.isAssigned { await engine.serve(STDIN_FILENO, given: commands) }
    let failure = await engine.run(commands)
    if let failure {
      Issue.record("on \(implementation.id): \(failure)", sourceLocation: sourceLocation)
    }
  }
}

private func lockStep<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  _ settings: ExplorationSettings, _ name: String
) -> LockStep<ScopedSpecification<Spec>> {
  var lockStep = LockStep(ScopedSpecification(specification), settings: settings) { subject in
    try await subject.tearDown()
  } makeSubject: {
    try await ScopedSubject(implementation)
  }
  lockStep.implementation = implementation.id
  lockStep.processes = ExplorationProcess.starter(for: name, seed: settings.seed)
    .map(SubjectProcesses.init)
  lockStep.isIsolated = implementation.hasOwnProcess
  lockStep.source.arguments = "\(specification.source), on: .\(implementation.swiftName)"
  return lockStep
}

/// Runs random commands on an implementation from several threads in parallel, and checks that each
/// recorded history is linearizable.
///
/// An implementation that is `.inOwnProcess()` is explored in another process. Commands that end
/// it, or ended this one, are reported after the unnecessary ones have been removed.
///
/// A run whose calls are short is repeated on new fixtures for 5 ms, by as many tasks at a time as
/// there are processors, so that the calls overlap in many ways; time in which a task waited for a
/// processor does not count, up to 50 ms. By default the exploration ends after 1,000 runs or one
/// second. Whether two calls meet is still a matter of chance: on two busy cores, 59 of 60 such
/// explorations found a lock of the wrong scope or a missing one. Use `exploreInterleavings` where
/// the subject can be scheduled, and give this function more time.
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: The implementation to explore. Each run has a separate fixture.
///   - tasks: The number of tasks that use it concurrently, from 1.
///   - settings: The limits and seeds; environment variables override them.
///   - sourceLocation: The source location of the call.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with
///   an invalid value.
public func exploreConcurrently<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, tasks: Int = 4,
  settings: ExplorationSettings = .init(runs: 1_000, time: .seconds(1), steps: 24),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Subject: Sendable {
  try await exploringPrograms(
    specification, on: implementation, "exploreConcurrently", settings, at: sourceLocation
  ) { settings, key in
    ConcurrentExplorer(
      ScopedSpecification(specification), clients: tasks, settings: settings
    ) { subject in
      try await subject.tearDown()
    } makeSubject: {
      try await ScopedSubject(implementation)
    }.programs(key: key)
  }
}

/// Performs an exploration of the commands of several tasks, in another process if the
/// implementation is `.inOwnProcess()`.
package func exploringPrograms<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, _ function: String,
  _ settings: ExplorationSettings, at sourceLocation: SourceLocation,
  _ exploration: (ExplorationSettings, _ key: [String]) -> ProgramExploration<Spec.Command>
) async throws {
  let name = ExplorationProcess.name(
    function, specification.source, on: implementation.id, at: sourceLocation)
  try await exploring(implementation, function, settings, in: name) { settings in
    let key = [function, sourceLocation.fileID, specification.source, implementation.id]
    let exploration = exploration(settings, key)
    if ExplorationProcess.isAssigned { return await exploration.serve(STDIN_FILENO) }
    guard let start = ExplorationProcess.starter(for: name, seed: settings.seed) else { return }
    let report = await exploration.run(
      startingProcesses: start, isIsolated: implementation.hasOwnProcess)
    ExplorationProgressLine.say("\(function) on \(implementation.id): \(report.summary)")
    if let problem = report.problem {
      Issue.record(
        "on \(implementation.id): \(problem)\n\(rerunCommand(seed: settings.seed))",
        sourceLocation: sourceLocation)
    }
  }
}

/// The command that runs the current test's exploration again.
private func rerunCommand(seed: UInt64) -> String {
  let test = Test.current.map { String(describing: $0.id) } ?? ""
  return
    "run again: CONTRACT_EXPLORE_SEED=\(seed) swift test --filter '\(test.prefix { $0 != "(" })'"
}

/// Performs the steps that every kind of exploration needs before and after its engine.
///
/// It checks that a test is running and that the implementation is selected and available, applies
/// the environment to the settings, and holds the implementation's exclusive resources while `body`
/// runs.
///
/// - Parameters:
///   - implementation: The implementation to explore.
///   - function: The name of the calling function.
///   - settings: The settings before the environment is applied.
///   - process: The name of the exploration for a process that runs its subjects; `nil` if it has none.
///   - isElsewhere: Whether fixtures are made in the other process only.
///   - body: The exploration. In a process that was started to run its subjects, it serves them.
package func exploring<Fixture>(
  _ implementation: Implementation<Fixture>, _ function: String, _ settings: ExplorationSettings,
  in process: String? = nil, isElsewhere: Bool = false,
  _ body: (ExplorationSettings) async throws -> Void
) async throws {
  guard Test.current != nil else { throw OutsideTestError(what: "\(function)(_:on:)") }
  if ExplorationProcess.isAssigned {
    guard let process, ExplorationProcess.isAssigned(to: process) else { return }
    try await body(settings.applying())
    // The rest of the test is not this process's.
    exit(0)
  }
  // A selection of cases excludes everything that is not a case.
  guard implementation.runsOutsideCases else {
    ExplorationProgressLine.say(
      "\(implementation.id) not explored: CONTRACT or CONTRACT_KIND selects other cases")
    return
  }
  let settings = try settings.applying()
  try await implementation.holdingResources {
    if let reason = await unavailability(
      of: implementation, isElsewhere: isElsewhere || implementation.hasOwnProcess)
    {
      Issue.record("\(implementation.id) is unavailable: \(reason)", severity: .warning)
      return
    }
    try await body(settings)
  }
}

/// Why an implementation can't be explored here, or `nil`. It makes a fixture, unless that happens in another
/// process.
private func unavailability<Fixture>(
  of implementation: Implementation<Fixture>, isElsewhere: Bool
) async -> String? {
  if let reason = await implementation.unavailability() { return reason }
  guard !isElsewhere else { return nil }
  do {
    try await ScopedSubject(implementation).tearDown()
  } catch let error as any UnavailabilityError {
    return error.unavailabilityReason
  } catch {
    // The exploration reports other errors.
  }
  return nil
}

/// A fixture together with its scope, which is torn down after each run.
package struct ScopedSubject<Fixture> {
  package var fixture: Fixture
  private var scope: FixtureScope

  package init(_ implementation: Implementation<Fixture>) async throws {
    let scope = FixtureScope()
    do {
      fixture = try await implementation.fixture(in: scope)
    } catch {
      _ = await scope.tearDown()
      throw FailedRequirement(error) ?? error
    }
    self.scope = scope
  }

  /// What the fixture's servers have printed.
  var logs: [(name: String, text: String)] { scope.logTexts }

  package func tearDown() async throws {
    if let error = await scope.tearDown().first { throw error }
  }
}

extension ScopedSubject: Sendable where Fixture: Sendable {}

/// A `#require` of a fixture that failed. Its message is recorded where the fixture was made, which may be another
/// process.
private struct FailedRequirement: Error, CustomStringConvertible {
  var description: String

  init?(_ error: any Error) {
    guard let place = (error as? ExpectationFailedError)?.expectation.sourceLocation else {
      return nil
    }
    description = "#require failed at \(place.fileID):\(place.line)"
  }
}

/// A specification whose subjects are fixtures with their scopes.
struct ScopedSpecification<Spec: Specification>: Specification {
  typealias Subject = ScopedSubject<Spec.Subject>

  private let base: Spec

  init(_ base: Spec) { self.base = base }

  var initialState: Spec.State { base.initialState }
  var kinds: [String] { base.kinds }

  func command(from choices: inout Choices, in state: Spec.State) -> Spec.Command {
    base.command(from: &choices, in: state)
  }

  func apply(_ command: Spec.Command, to state: inout Spec.State) -> Spec.Response {
    base.apply(command, to: &state)
  }

  func perform(_ command: Spec.Command, on subject: Subject) async throws -> Spec.Response {
    try await base.perform(command, on: subject.fixture)
  }

  func isReadOnly(_ command: Spec.Command) -> Bool { base.isReadOnly(command) }
  func partition(of command: Spec.Command) -> AnyHashable? { base.partition(of: command) }
  func kind(of command: Spec.Command) -> String { base.kind(of: command) }
  var source: String { base.source }
  func source(ofCommand command: Spec.Command) -> String { base.source(ofCommand: command) }
  func source(ofResponse response: Spec.Response) -> String {
    base.source(ofResponse: response)
  }
}

/// Messages of an exploration on standard error.
package enum ExplorationProgressLine {
  /// Prints a line that stays.
  package static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Replaces the progress line, if standard error is a terminal.
  static func show(_ progress: ExplorationProgress, on implementation: String) {
    write(
      "\r\u{1B}[Kexploring \(implementation): \(progress.runs) runs, \(progress.commands) commands, "
        + "\(Int(progress.rate)) commands/s")
  }

  /// Removes the progress line.
  static func clear() { write("\r\u{1B}[K") }

  private static func write(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    FileHandle.standardError.write(Data(text.utf8))
  }
}
