import ExplorationEngine
import InterleavingExploration
import SystemLocks
import Testing
import TransportPort

/// Two requests to a fake at the same time, in many orders of their steps.
@Suite struct FakeTransportExplorationTests {
  private struct Wrong: Error {
    var outcomes: [String]
    var events: [OriginEvent]
  }

  /// Sends requests to `/1` and `/2`, again if that is safe, and checks each schedule.
  ///
  /// - Parameters:
  ///   - cancels: Whether the first one is cancelled.
  ///   - shutsDown: Whether a third task shuts the fake down.
  ///   - isRight: Whether the contents, or the kinds of the errors, are right.
  private func explore(
    _ plan: OriginPlan, scheme: String, cancels: Bool = false, shutsDown: Bool = false,
    expecting isRight: @escaping @Sendable ([String], FakeTransport) -> Bool
  ) async -> InterleavingReport {
    var settings = ExplorationSettings.interleavings()
    settings.runs = 2_000
    return await exploreInterleavings(settings) { program in
      let fake = FakeTransport(plan, limits: ConnectionLimits(perOrigin: 1, total: 1))
      let outcomes = Mutex(["none", "none"])
      for (index, path) in ["/1", "/2"].enumerated() {
        program.task(path) {
          let request = Task {
            await Outcome(of: fake.retryingWhenSafe(), HTTPRequest(url: "\(scheme)://h\(path)"))
          }
          if cancels, index == 0 { request.cancel() }
          let outcome = await request.value
          let text = outcome.error.map { "\($0.kind)" } ?? outcome.body.text
          outcomes.withLock { $0[index] = text }
        }
      }
      if shutsDown { program.task("shutDown") { fake.shutDown() } }
      program.check {
        let outcomes = outcomes.withLock { $0 }
        guard isRight(outcomes, fake) else { throw Wrong(outcomes: outcomes, events: fake.events) }
      }
    }
  }

  @Test func `GOAWAY excludes the requests after it`() async {
    let plan = OriginPlan(version: .http2) { request in
      request.connection == 1
        ? [.goAway(isProcessed: true)] + .respond(text: "first") : .respond(text: "other")
    }
    let report = await explore(plan, scheme: "https") { outcomes, _ in
      outcomes.sorted() == ["first", "other"]
    }
    #expect(report.failure == nil, "\(report)")
  }

  @Test func `a connection serves one request after the other`() async {
    let plan = OriginPlan { .respond(text: $0.target) }
    let report = await explore(plan, scheme: "http") { outcomes, fake in
      outcomes == ["/1", "/2"] && fake.requests.map(\.head.connection) == [1, 1]
        && fake.connectionCount == 1
    }
    #expect(report.failure == nil, "\(report)")
  }

  @Test(arguments: ["http", "https"])
  func `a cancelled request takes nothing from another`(_ scheme: String) async {
    let plan = OriginPlan(version: .http2) { .respond(text: $0.target) }
    let report = await explore(plan, scheme: scheme, cancels: true) { outcomes, fake in
      ["/1", "cancelled"].contains(outcomes[0]) && outcomes[1] == "/2" && fake.connectionCount <= 1
    }
    #expect(report.failure == nil, "\(report)")
  }

  @Test(arguments: ["http", "https"])
  func `a request that a shutdown ends says so`(_ scheme: String) async {
    let plan = OriginPlan(version: .http2) { .respond(text: $0.target) }
    let report = await explore(plan, scheme: scheme, shutsDown: true) { outcomes, fake in
      ["/1", "shutDown"].contains(outcomes[0]) && ["/2", "shutDown"].contains(outcomes[1])
        && fake.connectionCount == 0
    }
    #expect(report.failure == nil, "\(report)")
  }
}
