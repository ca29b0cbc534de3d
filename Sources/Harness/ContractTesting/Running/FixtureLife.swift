import Testing

/// The life of a fixture around a clause: made, used, torn down.
struct FixtureLife<Fixture>: Sendable {
  var clause: Clause<Fixture>
  var make: @Sendable (FixtureScope) async throws -> Fixture

  /// Makes the fixture, runs the clause on it and tears it down; whatever goes wrong is recorded.
  func run(_ collector: IssueCollector, madeAt place: SourceLocation) async {
    let scope = FixtureScope()
    // The fixture is let go of before its world is torn down, so it lives in a call of its own.
    await runClause(in: scope, collector, madeAt: place)
    collector.enterFixture(true)
    for error in await scope.tearDown() {
      Issue.record(
        error, "the fixture could not be torn down: \(String(describing: error))",
        sourceLocation: place)
    }
  }

  private func runClause(
    in scope: FixtureScope, _ collector: IssueCollector, madeAt place: SourceLocation
  ) async {
    let fixture: Fixture
    do {
      fixture = try await make(scope)
    } catch {
      Issue.record(
        error, "the fixture could not be made: \(String(describing: error))", sourceLocation: place)
      return
    }
    collector.enterFixture(false)
    do {
      try await clause.body(fixture)
    } catch is ExpectationFailedError {
      // `#require` has recorded the issue already.
    } catch {
      Issue.record(
        error, "the clause threw \(String(describing: error))",
        sourceLocation: clause.sourceLocation)
    }
  }
}
