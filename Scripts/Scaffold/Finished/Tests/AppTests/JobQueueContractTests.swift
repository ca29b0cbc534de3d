import App
import ContractTesting
import DriftExploration
import Foundation
import Testing

@Suite struct JobQueueContractTests {
  @Test(arguments: Contract.jobQueue.cases(for: .inMemory, .file))
  func holds(_ contractCase: ContractCase<JobQueueFixture>) async throws {
    try await contractCase.verify()
  }

  @Test func behavesLikeTheRealThing() async throws {
    try await exploreDrift(of: .inMemory, from: .file) {
      Operation("enqueue", JobQueueValues.job) { fixture, job in
        try await fixture.jobQueue.enqueue(job)
      }
      .ignoringAnswer()
      Operation("take") { fixture in try await fixture.jobQueue.take() }
      Operation("complete", JobQueueValues.ticket) { fixture, ticket in
        try await fixture.jobQueue.complete(ticket)
      }
      Operation("count") { fixture in try await fixture.jobQueue.count }
    }
  }
}

extension Implementation<JobQueueFixture> {
  static let inMemory = fake("in-memory") { JobQueueFixture(jobQueue: InMemoryJobQueue()) }

  static let file = live("file") { scope in
    try JobQueueFixture(jobQueue: FileJobQueue(scope.temporaryDirectory().appending(path: "file")))
  }
}

/// What the arguments of calls are drawn from: one domain for each meaning.
enum JobQueueValues {
  static let ticket: Domain<Int> = .oneOf(.result(of: "enqueue"), .smallIntegers())
  static let job: Domain<Job> = .combining(jobOwner, jobName) { Job(owner: $0, name: $1) }
  static let jobOwner: Domain<String> = .keys
  static let jobName: Domain<String> = .keys
}
