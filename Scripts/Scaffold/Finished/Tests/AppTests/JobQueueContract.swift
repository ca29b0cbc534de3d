import App
import ContractTesting
import Testing

/// What a clause receives.
struct JobQueueFixture: Sendable {
  /// The job queue under test.
  var jobQueue: any JobQueue
}

extension Contract<JobQueueFixture> {
  static let jobQueue = Contract("job-queue", "Job queue", leavesOthersToMutants: true) {
    Clause("enqueue", "adds a job at the end, and returns its ticket") { fixture throws in
      for number in 1...100 {
        let ticket = try await fixture.jobQueue.enqueue(.numbered(number))
        #expect(ticket == number)
      }
      await #expect(throws: JobQueueError.full(limit: 100)) {
        try await fixture.jobQueue.enqueue(.numbered(101))
      }
    }
    Clause("take", "takes the oldest job that waits, or returns nil") { fixture throws in
      for number in 1...3 { _ = try await fixture.jobQueue.enqueue(.numbered(number)) }
      for number in 1...3 {
        let next = try await fixture.jobQueue.take()
        #expect(next == Assignment(ticket: number, job: .numbered(number)))
      }
      let none = try await fixture.jobQueue.take()
      #expect(none == nil)
    }
    Clause("complete", "forgets a job that was taken") { fixture throws in
      let ticket = try await fixture.taken()
      try await fixture.jobQueue.complete(ticket)
      await #expect(throws: JobQueueError.unknownTicket(ticket)) {
        try await fixture.jobQueue.complete(ticket)
      }
    }
    Clause("count", "the number of jobs that wait") { fixture throws in
      let before = try await fixture.jobQueue.count
      _ = try await fixture.taken()
      _ = try await fixture.jobQueue.enqueue(.numbered(2))
      let after = try await fixture.jobQueue.count
      #expect([before, after] == [0, 1])
    }
  }
}

extension JobQueueFixture {
  /// Adds the first job, takes it, and returns its ticket.
  fileprivate func taken() async throws -> Int {
    _ = try await jobQueue.enqueue(.numbered(1))
    return try #require(try await jobQueue.take()).ticket
  }
}

extension Job {
  fileprivate static func numbered(_ number: Int) -> Job { Job(owner: "ann", name: "\(number)") }
}
