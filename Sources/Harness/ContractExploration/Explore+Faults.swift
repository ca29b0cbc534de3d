public import ContractTesting
public import ExplorationEngine
import SystemLocks
public import Testing

/// Runs random commands on an implementation while faults happen, one after the other, and checks
/// that its answers keep a promise.
///
/// After the first fault of a run, a call that throws or takes longer than `callLimit` has no answer:
/// it may have happened, may still happen, or may never. A failure is shrunk in commands and faults,
/// by running them, and recorded as an issue with a test to paste. It is saved next to the test; saved
/// examples with the same promise are replayed first. What the fixture's servers printed in the smallest
/// run is attached.
///
/// - Parameters:
///   - specification: The model and the generator of commands. The model must accept any command in any
///     state, since a call may not have happened.
///   - implementation: The implementation to explore. Each run has a separate fixture.
///   - faults: The faults to choose from. A run has one to three.
///   - promise: What the answers must agree with.
///   - callLimit: How long a call may take.
///   - settings: The limits and seeds; environment variables override them.
///   - filePath: The path of the test's file. Examples are saved in a folder next to it; `nil` saves and
///     replays none.
///   - sourceLocation: The source location of the call.
/// - Returns: What was explored and found; `nil` if the implementation is unavailable or not selected.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with
///   an invalid value.
@discardableResult
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  faults: [Fault<Spec.Subject>], promising promise: ConsistencyPromise = .linearizable,
  callLimit: Duration = .seconds(2),
  settings: ExplorationSettings = .init(runs: 50, time: .seconds(10), steps: 12),
  filePath: String? = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> FaultReport<Spec>? where Spec.Subject: Sendable {
  try await exploring(
    specification, on: implementation, faults, promise, clients: 1, callLimit, settings,
    filePath, sourceLocation, "explore", given: nil)
}

/// Runs given commands and faults on an implementation, one after the other, and checks that its
/// answers keep a promise.
///
/// The test that ``explore(_:on:faults:promising:callLimit:settings:filePath:sourceLocation:)`` prints for a
/// failure makes this call. It names the implementation by its id in camel case, and faults by their
/// names.
///
/// - Parameters:
///   - specification: The model.
///   - implementation: The implementation to run the commands on.
///   - promise: What the answers must agree with.
///   - steps: The commands and faults, in order.
///   - callLimit: How long a call may take.
///   - sourceLocation: The source location of the call.
/// - Returns: What was found; `nil` if the implementation is unavailable or not selected.
/// - Throws: `OutsideTestError` if no test is running.
@discardableResult
public func explore<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  promising promise: ConsistencyPromise, steps: [FaultStep<Spec.Command, Spec.Subject>],
  callLimit: Duration = .seconds(2), sourceLocation: SourceLocation = #_sourceLocation
) async throws -> FaultReport<Spec>? where Spec.Subject: Sendable {
  try await exploring(
    specification, on: implementation, [], promise, clients: 1, callLimit, .init(runs: 1),
    nil, sourceLocation, "explore", given: steps)
}

/// Runs random commands on an implementation from several threads while faults happen, and checks that
/// its answers keep a promise.
///
/// A fault strikes while calls are in progress. See
/// ``explore(_:on:faults:promising:callLimit:settings:filePath:sourceLocation:)`` for the meaning of calls without an
/// answer. If the smallest failure found also happens without overlap, it is printed so.
///
/// - Parameters:
///   - specification: The model and the generator of commands. The model must accept any command in any
///     state.
///   - implementation: The implementation to explore. Each run has a separate fixture.
///   - faults: The faults to choose from. A run has one to three.
///   - promise: What the answers must agree with.
///   - tasks: The number of clients that use it concurrently, from 2.
///   - callLimit: How long a call may take.
///   - settings: The limits and seeds; environment variables override them.
///   - filePath: The path of the test's file. Examples are saved in a folder next to it; `nil` saves and
///     replays none.
///   - sourceLocation: The source location of the call.
/// - Returns: What was explored and found; `nil` if the implementation is unavailable or not selected.
/// - Throws: `OutsideTestError` if no test is running; `EnvironmentError` for a variable with
///   an invalid value.
@discardableResult
public func exploreConcurrently<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  faults: [Fault<Spec.Subject>], promising promise: ConsistencyPromise = .linearizable,
  tasks: Int = 4, callLimit: Duration = .seconds(2),
  settings: ExplorationSettings = .init(runs: 50, time: .seconds(10), steps: 24),
  filePath: String? = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> FaultReport<Spec>? where Spec.Subject: Sendable {
  try await exploring(
    specification, on: implementation, faults, promise, clients: max(tasks, 2), callLimit, settings,
    filePath, sourceLocation, "exploreConcurrently", given: nil)
}

/// Runs given commands and faults on an implementation from several threads, several times, and checks that
/// its answers keep a promise.
///
/// The test that ``exploreConcurrently(_:on:faults:promising:tasks:callLimit:settings:filePath:sourceLocation:)``
/// prints for a failure makes this call.
///
/// - Parameters:
///   - specification: The model.
///   - implementation: The implementation to run the commands on.
///   - promise: What the answers must agree with.
///   - steps: The commands and faults. Each client has its commands in order; a fault strikes when the
///     commands before it have begun.
///   - runs: The number of runs, since the clients' timing differs from run to run.
///   - callLimit: How long a call may take.
///   - sourceLocation: The source location of the call.
/// - Returns: What was found; `nil` if the implementation is unavailable or not selected.
/// - Throws: `OutsideTestError` if no test is running.
@discardableResult
public func exploreConcurrently<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  promising promise: ConsistencyPromise, steps: [FaultStep<Spec.Command, Spec.Subject>],
  runs: Int = 20, callLimit: Duration = .seconds(2),
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> FaultReport<Spec>? where Spec.Subject: Sendable {
  try await exploring(
    specification, on: implementation, [], promise, clients: 2, callLimit, .init(runs: runs),
    nil, sourceLocation, "exploreConcurrently", given: steps)
}

/// Runs an exploration with faults that must find a broken promise, and returns what it found.
///
/// Use it for what is known: a configuration that loses writes, a read that may be stale. The finding is a
/// known issue of the test. Any other issue fails the test, and so does an exploration that finds nothing.
///
///     let finding = try await expectFinding {
///       try await explore(.jobs, on: .snapshots, faults: [.kill], filePath: nil)
///     }
///     #expect((finding?.callCount ?? 0) <= 4)
///
/// - Parameters:
///   - sourceLocation: The source location of the call.
///   - exploration: Explores, and returns the report.
/// - Returns: The finding; `nil` if there is none or if the implementation is unavailable or not selected.
/// - Throws: The error of `exploration`.
@discardableResult
public func expectFinding<Spec: Specification>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ exploration: () async throws -> FaultReport<Spec>?
) async throws -> FaultFailure<Spec>? {
  var report: FaultReport<Spec>?
  try await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
    report = try await exploration()
  } matching: { issue in
    issue.comments.contains { comment in
      ConsistencyPromise.allCases.contains { comment.rawValue.contains($0.violation) }
    }
  }
  guard let report else { return nil }
  if report.failure == nil {
    Issue.record("no broken promise was found: \(report)", sourceLocation: sourceLocation)
  }
  return report.failure
}

private func exploring<Spec: Specification>(
  _ specification: Spec, on implementation: Implementation<Spec.Subject>,
  _ faults: [Fault<Spec.Subject>], _ promise: ConsistencyPromise, clients: Int,
  _ callLimit: Duration, _ settings: ExplorationSettings, _ filePath: String?,
  _ sourceLocation: SourceLocation, _ function: String,
  given steps: [FaultStep<Spec.Command, Spec.Subject>]?
) async throws -> FaultReport<Spec>? where Spec.Subject: Sendable {
  var result: FaultReport<Spec>?
  try await exploring(implementation, function, settings) { settings in
    // There is one fixture at a time.
    let current = Mutex<ScopedSubject<Spec.Subject>?>(nil)
    var explorer = FaultExplorer(
      specification, faults: faults, promising: promise, clients: clients, settings: settings,
      callLimit: callLimit
    ) { _ in
      try await current.withLock { $0.take() }?.tearDown()
    } makeSubject: {
      let subject = try await ScopedSubject(implementation)
      current.withLock { $0 = subject }
      return subject.fixture
    }
    explorer.logs = { _ in
      current.withLock { $0 }?.logs.map { FaultLog(name: $0.name, text: $0.text) } ?? []
    }
    explorer.examples = filePath.map { ExampleStore(besideFile: $0) }
    explorer.implementation = implementation.id
    explorer.sourceArguments = "\(specification.source), on: .\(implementation.swiftName)"
    let report = if let steps { await explorer.run(steps) } else { await explorer.explore() }
    ExplorationProgressLine.say("explored \(implementation.id) with faults: \(report.summary)")
    for log in report.failure?.logs ?? [] {
      Attachment.record(log.text, named: log.name, sourceLocation: sourceLocation)
    }
    if !report.isClean {
      Issue.record("on \(implementation.id): \(report)", sourceLocation: sourceLocation)
    }
    result = report
  }
  return result
}
