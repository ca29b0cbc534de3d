import ContractExploration
import ContractTesting
import JobQueue
import Testing

/// What Redis promises while it is killed, stopped, cut off and replaced.
///
/// `CONTRACT_EXPLORE_SECONDS=600` gives each exploration ten minutes.
@Suite struct RedisFaultTests {
  private typealias Failure = FaultFailure<JobQueueSpecification>

  private let specification = JobQueueSpecification(waits: false)

  // MARK: - What holds

  @Test func `with a log that is always synced, no kill, pause or cut loses anything`() async throws
  {
    try await exploreConcurrently(
      specification, on: .always, faults: [.kill, .pause, .cutReply],
      settings: .init(runs: 1_000, time: .seconds(8), steps: 16))
  }

  @Test func `with WAIT 1, no fail-over loses an acknowledged write`() async throws {
    try await explore(
      specification, on: .replicatedWait, faults: [.partition, .failOver],
      promising: .acknowledgedWritesSurvive, callLimit: .seconds(10),
      settings: .init(runs: 1_000, time: .seconds(8), steps: 8))
  }

  @Test func `a restart between reserve and acknowledge keeps the receipt`() async throws {
    try await explore(
      specification, on: .always, promising: .linearizable,
      steps: [
        .call(.push("a", delay: 0)), .call(.reserve), .fault(.kill),
        .call(.acknowledge("a", attempt: 1)), .call(.size),
      ])
  }

  // MARK: - What is lost

  @Test func `with snapshots alone, a kill loses an acknowledged write`() async throws {
    try expectSmall(
      await finding {
        try await exploreConcurrently(
          specification, on: .snapshots, faults: [.kill], promising: .acknowledgedWritesSurvive,
          settings: .init(runs: 1_000, time: .seconds(120), steps: 16, shrinkTime: .seconds(10)))
      })
  }

  @Test func `with a log synced every second on a slow disk, a kill loses an acknowledged write`()
    async throws
  {
    try expectFound(
      await finding {
        try await explore(
          specification, on: .slowDisk, faults: [.kill], promising: .acknowledgedWritesSurvive,
          callLimit: .seconds(5),
          settings: .init(runs: 1_000, time: .seconds(120), steps: 8, shrinkTime: .seconds(6)))
      })
  }

  @Test func `a replica that is cut off is stale`() async throws {
    try expectFound(
      await finding {
        try await explore(
          specification, on: .countsAtReplica, faults: [.partition],
          settings: .init(runs: 1_000, time: .seconds(120), steps: 12, shrinkTime: .seconds(10)))
      })
  }

  @Test func `without WAIT, a fail-over loses an acknowledged write`() async throws {
    let failure = try await finding {
      try await explore(
        specification, on: .replicated, faults: [.partition, .failOver],
        promising: .acknowledgedWritesSurvive,
        settings: .init(runs: 1_000, time: .seconds(120), steps: 12, shrinkTime: .seconds(10)))
    }
    try expectFound(failure)
  }

  @Test func `an adapter that repeats a command whose reply was cut does it twice`()
    async throws
  {
    try expectFound(
      await finding {
        try await explore(
          specification, on: .repeating, faults: [.cutReply],
          settings: .init(runs: 1_000, time: .seconds(120), steps: 12, shrinkTime: .seconds(10)))
      })
  }

  /// What an exploration finds, which is known; `nil` if Redis is not installed.
  private func finding(
    _ exploration: () async throws -> FaultReport<JobQueueSpecification>?
  ) async throws -> Failure? {
    var report: FaultReport<JobQueueSpecification>?
    await withKnownIssue(isIntermittent: true) {
      report = try await exploration()
    }
    guard let report else { return nil }
    let failure = try #require(report.failure, "\(report)")
    print(failure)
    return failure
  }

  /// How small it gets depends on chance: the same commands do not always lose something.
  private func expectFound(_ failure: Failure?) throws {
    guard let failure else { return }
    #expect(failure.problem == nil, "\(failure)")
  }

  private func expectSmall(_ failure: Failure?) throws {
    guard let failure else { return }
    #expect(failure.problem == nil, "\(failure)")
    #expect(failure.callCount <= 4, "\(failure)")
    #expect(failure.faultCount <= 1, "\(failure)")
  }
}
