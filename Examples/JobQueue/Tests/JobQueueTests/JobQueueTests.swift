import ContractExploration
import ContractTesting
import JobQueue
import Testing

@Suite struct JobQueueTests {
  @Test(
    arguments: Contract.jobs.cases(for: .inMemory, .sqlite, .redis) + Contract.jobs.saboteurCases)
  func holds(_ contractCase: ContractCase<JobQueueFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(arguments: [Implementation<JobQueueFixture>.inMemory, .sqlite, .redis])
  func `one worker after the other`(_ queue: Implementation<JobQueueFixture>) async throws {
    try await explore(
      JobQueueSpecification(), on: queue, settings: .init(runs: 200, time: .seconds(3)))
  }

  @Test(arguments: [Implementation<JobQueueFixture>.inMemory, .sqlite, .redis])
  func `several workers at once`(_ queue: Implementation<JobQueueFixture>) async throws {
    try await exploreConcurrently(JobQueueSpecification(waits: false), on: queue)
  }

  /// What the explorer finds in the fake that the team wrote first, with different seeds.
  @Test func `the first draft of the fake is a stack, and forgets delays and time-outs`()
    async throws
  {
    var missing: Set<[JobQueueSpecification.Command]> = [
      [.push("a", delay: 1), .reserve],
      [.push("a", delay: 0), .push("b", delay: 0), .reserve],
      [.push("a", delay: 0), .reserve, .wait(seconds: 30), .reserve],
    ]
    for seed in 1...200 as ClosedRange<UInt64> where !missing.isEmpty {
      let settings = ExplorationSettings(runs: 5, seed: seed, steps: 20)
      let report = await LockStep(JobQueueSpecification(), settings: settings) {
        JobQueueFixture.firstDraft
      }.explore()
      if let failure = report.failure { missing.remove(failure.commands) }
    }
    #expect(missing.isEmpty)
  }
}
