public import ContractTesting
public import ExplorationEngine
import Foundation
public import Testing

/// Runs random commands on an implementation and on the model, and compares what they answer.
///
/// A mismatch is shrunk, saved beside the test and recorded as an issue that ends in a test to
/// paste. Saved examples are replayed first. The environment sets the budget: `CONTRACT_EXPLORE_RUNS`,
/// `CONTRACT_EXPLORE_SECONDS`, `CONTRACT_EXPLORE_SEED` and `CONTRACT_EXPLORE_SHARD` (`3/16`).
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: What to explore; each run gets a fixture of its own.
///   - settings: How long and how far to explore, where the environment does not say.
///   - filePath: The test's file; examples are kept in a folder beside it.
///   - sourceLocation: The place of the call.
/// - Throws: ``OutsideTestError`` when no test is running; ``EnvironmentError`` for a variable
///   that can't be read.
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  settings: ExplorationSettings = .init(runs: 200), filePath: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Command: Codable {
  try await exploring(implementation, "explore", settings) { settings in
    var engine = lockStep(specification, on: implementation, settings)
    engine.onProgress = { ExplorationProgressLine.show($0, on: implementation.id) }
    let report = await engine.storing(in: ExampleStore(besideFile: filePath)).explore()
    ExplorationProgressLine.clear()
    ExplorationProgressLine.say("explored \(implementation.id): \(report.summary)")
    if !report.isClean {
      Issue.record("on \(implementation.id): \(report)", sourceLocation: sourceLocation)
    }
  }
}

/// Runs given commands on an implementation and on the model, and compares what they answer.
///
/// A failure of ``explore(_:on:settings:filePath:sourceLocation:)`` ends in a test with this call. It
/// names the implementation by its id in camel case: `in-memory` is `.inMemory`.
///
/// - Parameters:
///   - specification: The model.
///   - implementation: What to run the commands on.
///   - commands: The commands, in order.
///   - sourceLocation: The place of the call.
/// - Throws: ``OutsideTestError`` when no test is running.
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, commands: [Spec.Command],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try await exploring(implementation, "explore", .init()) { settings in
    let failure = await lockStep(specification, on: implementation, settings).run(commands)
    if let failure {
      Issue.record("on \(implementation.id): \(failure)", sourceLocation: sourceLocation)
    }
  }
}

private func lockStep<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  _ settings: ExplorationSettings
) -> LockStep<ScopedSpecification<Spec>> {
  var lockStep = LockStep(ScopedSpecification(specification), settings: settings) { subject in
    try await subject.tearDown()
  } makeSubject: {
    try await ScopedSubject(implementation)
  }
  lockStep.source.arguments = "\(specification.source), on: .\(implementation.swiftName)"
  return lockStep
}

/// Uses an implementation from several tasks truly in parallel, and asks of each recorded history
/// whether the model allows it in some order.
///
/// Chance decides whether two calls meet: a gap of a hundred nanoseconds between a check and an act is
/// hit in one run of a hundred, so by default there are as many runs as fit into a second, up to a
/// thousand.
///
/// - Parameters:
///   - specification: The model and the generator of commands.
///   - implementation: What to explore; each run gets a fixture of its own.
///   - tasks: How many tasks use it at once, from 1.
///   - settings: How long and how far to explore, where the environment does not say.
///   - sourceLocation: The place of the call.
/// - Throws: ``OutsideTestError`` when no test is running; ``EnvironmentError`` for a variable
///   that can't be read.
public func exploreConcurrently<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>, tasks: Int = 4,
  settings: ExplorationSettings = .init(runs: 1_000, time: .seconds(1), steps: 24),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws where Spec.Subject: Sendable {
  try await exploring(implementation, "exploreConcurrently", settings) { settings in
    let explorer = ConcurrentExplorer(
      ScopedSpecification(specification), clients: tasks, settings: settings
    ) { subject in
      try await subject.tearDown()
    } makeSubject: {
      try await ScopedSubject(implementation)
    }
    let report = await explorer.explore()
    ExplorationProgressLine.say("explored \(implementation.id) at once: \(report.summary)")
    if report.failure != nil || !report.health.isEmpty {
      Issue.record("on \(implementation.id): \(report)", sourceLocation: sourceLocation)
    }
  }
}

/// What every kind of exploration does around its engine.
func exploring<Fixture>(
  _ implementation: Implementation<Fixture>, _ name: String, _ settings: ExplorationSettings,
  _ body: (ExplorationSettings) async throws -> Void
) async throws {
  guard Test.current != nil else { throw OutsideTestError(what: "\(name)(_:on:)") }
  // A selection of cases is a wish to run these alone.
  guard implementation.runsOutsideCases else {
    ExplorationProgressLine.say(
      "\(implementation.id) is not explored: CONTRACT or CONTRACT_KIND chooses other cases")
    return
  }
  let settings = try settings.applying()
  if let reason = await implementation.unavailability() {
    Issue.record("\(implementation.id) is unavailable: \(reason)", severity: .warning)
    return
  }
  if implementation.hasOwnProcess {
    ExplorationProgressLine.say(
      "\(implementation.id) is explored in this process, although its cases have their own: a "
        + "crash ends the run")
  }
  try await implementation.holdingResources { try await body(settings) }
}

/// A fixture with its scope, so that each run's world is torn down with it.
struct ScopedSubject<Fixture> {
  var fixture: Fixture
  private var scope: FixtureScope

  init(_ implementation: Implementation<Fixture>) async throws {
    let scope = FixtureScope()
    do {
      fixture = try await implementation.fixture(in: scope)
    } catch {
      _ = await scope.tearDown()
      throw error
    }
    self.scope = scope
  }

  func tearDown() async throws {
    if let error = await scope.tearDown().first { throw error }
  }
}

extension ScopedSubject: Sendable where Fixture: Sendable {}

/// A specification whose subjects bring their scopes along.
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

/// What an exploration says on standard error.
enum ExplorationProgressLine {
  /// Says something that is true from here on, on a line of its own.
  static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Replaces the line on the terminal that says how a long exploration gets on.
  static func show(_ progress: ExplorationProgress, on implementation: String) {
    write(
      "\r\u{1B}[Kexploring \(implementation): \(progress.runs) runs, \(progress.commands) commands, "
        + "\(Int(progress.rate)) a second")
  }

  static func clear() { write("\r\u{1B}[K") }

  private static func write(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    FileHandle.standardError.write(Data(text.utf8))
  }
}
