import App
import ContractExploration
import ContractTesting
import Testing

@Suite struct JobQueueContractTests {
  @Test(arguments: Contract.jobQueue.cases(for: .inMemory, .file))
  func holds(_ contractCase: ContractCase<JobQueueFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(arguments: [Implementation<JobQueueFixture>.file])
  func explored(_ implementation: Implementation<JobQueueFixture>) async throws {
    try await explore(.jobQueue, on: implementation)
  }
}

extension Implementation<JobQueueFixture> {
  static let inMemory = fake("in-memory") { JobQueueFixture(jobQueue: InMemoryJobQueue()) }

  static let file = live("file") { scope in
    let file = try scope.temporaryDirectory().appendingPathComponent("jobs.json")
    return JobQueueFixture(jobQueue: FileJobQueue(file))
  }
}
