import ContractEvidence
import Testing

/// Makes a fixture, runs a clause on it and tears it down.
struct FixtureLifecycle<Fixture>: Sendable {
  var clause: Clause<Fixture>
  var make: @Sendable (FixtureScope) async throws -> Fixture
  /// Is called with each fixture before the clause.
  var willRun: @Sendable (Fixture) async -> Void = { _ in }
  /// Is called after the clause if the fixture has witnesses. Without it they are not asked.
  var didObserve: (@Sendable (WitnessSummary) -> Void)?

  /// Runs all three steps and records every error as an issue.
  ///
  /// - Parameters:
  ///   - collector: Is told which issues are the fixture's and which are the clause's.
  ///   - location: Where the fixture's maker is declared.
  func run(_ collector: IssueCollector, madeAt location: SourceLocation) async {
    let scope = FixtureScope()
    // A separate function, so that the fixture is released before its world is torn down.
    await runClause(in: scope, collector, madeAt: location)
    collector.setInFixture(true)
    if collector.hasIssues { scope.attachLogs(at: clause.sourceLocation) }
    for error in await scope.tearDown() {
      Issue.record(
        error, "the fixture could not be torn down: \(String(describing: error))",
        sourceLocation: location)
    }
  }

  private func runClause(
    in scope: FixtureScope, _ collector: IssueCollector, madeAt location: SourceLocation
  ) async {
    let fixture: Fixture
    do {
      fixture = try await make(scope)
    } catch is ExpectationFailedError {
      // `#require` has recorded the issue already.
      return
    } catch {
      Issue.record(
        error, "the fixture could not be made: \(String(describing: error))",
        sourceLocation: location)
      return
    }
    await willRun(fixture)
    let witnesses = didObserve == nil ? [] : scope.witnesses.withLock(\.self)
    let before = await Self.samples(of: witnesses)
    collector.setInFixture(false)
    await runClause(on: fixture)
    guard let didObserve, !witnesses.isEmpty else { return }
    let after = await Self.samples(of: witnesses)
    let touched = Set(
      zip(witnesses, zip(before, after)).compactMap { $1.0 == $1.1 ? nil : $0.kind })
    didObserve(
      WitnessSummary(
        name: witnesses.map(\.name).joined(separator: ", "), isTouched: !touched.isEmpty,
        kinds: WitnessKind.allCases.filter(touched.contains)))
  }

  private static func samples(of witnesses: [Witness]) async -> [WitnessSample?] {
    var samples: [WitnessSample?] = []
    for witness in witnesses { samples.append(await witness.sample()) }
    return samples
  }

  private func runClause(on fixture: Fixture) async {
    do {
      try await RunningCase.counting { try await clause.body(fixture) }
    } catch is ExpectationFailedError {
      // `#require` has recorded the issue already.
    } catch {
      Issue.record(
        error, "the clause threw \(String(describing: error))",
        sourceLocation: clause.sourceLocation)
    }
  }
}
