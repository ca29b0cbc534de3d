import ContractTesting
import JobQueue
import Testing

extension Job {
  fileprivate static let a = Job(id: "a", body: "print 1")
  fileprivate static let b = Job(id: "b", body: "e\u{301}\u{0}\n\"日本\"")
  fileprivate static let c = Job(id: "c", body: "")
}

extension JobQueueFixture {
  /// Reserves a job that must be there.
  fileprivate func reserved() async throws -> Reservation {
    try #require(try await queue.reserve(), "a job is available")
  }
}

extension Contract<JobQueueFixture> {
  static let jobs = Contract("jobs", "Job queue", leavesOthersToMutants: true) {
    orderClauses
    reservationClauses
    failureClauses
    persistenceClauses
  } saboteurs: {
    mistakes
  }

  @ClauseBuilder<JobQueueFixture> private static var orderClauses: [Clause<JobQueueFixture>] {
    Clause("keeps-bodies", "a reserved job has the bytes that were pushed") { fixture in
      for job in [Job.a, .b, .c] { _ = try await fixture.queue.push(job) }
      for job in [Job.a, .b, .c] {
        let reserved = try await fixture.reserved().job
        checkEqual(Array(reserved.body.utf8), Array(job.body.utf8), "the bytes of job \(job.id)")
      }
    }
    Clause("first-in-first-out", "jobs come in the order in which they were pushed") { fixture in
      for job in [Job.b, .a, .c] { _ = try await fixture.queue.push(job) }
      for job in [Job.b, .a, .c] {
        checkEqual(try await fixture.reserved().job.id, job.id, "the id of the next job")
      }
      checkEqual(try await fixture.queue.reserve(), nil, "the job after the last one")
    }
    Clause("delays", "a delayed job comes when its time has come, and not before") { fixture in
      _ = try await fixture.queue.push(.a, delay: .seconds(5))
      _ = try await fixture.queue.push(.b)
      checkEqual(try await fixture.reserved().job.id, "b", "the job that is not delayed")
      fixture.clock.advance(by: .milliseconds(4_999))
      checkEqual(try await fixture.queue.reserve(), nil, "the delayed job after 4,999 ms")
      fixture.clock.advance(by: .milliseconds(1))
      checkEqual(try await fixture.reserved().job.id, "a", "the delayed job after 5,000 ms")
    }
    Clause("due-order", "jobs come in the order in which they become available") { fixture in
      for (job, delay) in [(Job.c, 5), (.a, 3), (.b, 5)] {
        _ = try await fixture.queue.push(job, delay: .seconds(delay))
      }
      fixture.clock.advance(by: .seconds(60))
      for job in [Job.a, .c, .b] {
        checkEqual(try await fixture.reserved().job.id, job.id, "the id of the next job")
      }
    }
    Clause("pushes-once", "a job whose id is in the queue is not pushed again") { fixture in
      checkEqual(try await fixture.queue.push(.a), true, "the first push")
      checkEqual(try await fixture.queue.push(.a), false, "the second push")
      checkEqual(try await fixture.queue.size(), 1, "the size")
      _ = try await fixture.queue.acknowledge(fixture.reserved().receipt)
      checkEqual(try await fixture.queue.push(.a), true, "a push after the job was done")
    }
    Clause("counts", "the size counts available, delayed and reserved jobs") { fixture in
      checkEqual(try await fixture.queue.size(), 0, "the size of an empty queue")
      _ = try await fixture.queue.push(.a)
      _ = try await fixture.queue.push(.b, delay: .seconds(60))
      _ = try await fixture.queue.push(.c)
      _ = try await fixture.reserved()
      checkEqual(try await fixture.queue.size(), 3, "the size")
    }
  }

  @ClauseBuilder<JobQueueFixture>
  private static var reservationClauses: [Clause<JobQueueFixture>] {
    Clause("reserves-once", "a reserved job is hidden from other workers") { fixture in
      _ = try await fixture.queue.push(.a)
      let receipt = try await fixture.reserved().receipt
      checkEqual(receipt.attempt, 1, "the number of the attempt")
      _ = try await fixture.queue.push(.b, delay: .seconds(60))
      checkEqual(try await fixture.queue.reserve(), nil, "a second reservation")
      checkEqual(try await fixture.queue.acknowledge(receipt), true, "the acknowledgement")
    }
    Clause("issues-receipts", "a receipt that no reservation gave is worth nothing") { fixture in
      _ = try await fixture.queue.push(.a, delay: .seconds(60))
      let receipt = Receipt(jobID: "a", attempt: 0)
      checkEqual(try await fixture.queue.acknowledge(receipt), false, "the acknowledgement")
      checkEqual(try await fixture.queue.retry(receipt), false, "the retry")
      checkEqual(try await fixture.queue.size(), 1, "the size")
    }
    Clause("time-out", "a job that is not acknowledged comes back after the visibility time-out") {
      fixture in
      _ = try await fixture.queue.push(.a)
      let first = try await fixture.reserved()
      fixture.clock.advance(by: .milliseconds(29_999))
      checkEqual(try await fixture.queue.reserve(), nil, "a reservation after 29,999 ms")
      fixture.clock.advance(by: .milliseconds(1))
      let second = try await fixture.reserved()
      checkEqual(second.job, first.job, "the job after 30,000 ms")
      checkEqual(second.receipt.attempt, 2, "the number of the attempt")
    }
    Clause("acknowledges", "an acknowledged job is gone for good") { fixture in
      _ = try await fixture.queue.push(.a)
      let receipt = try await fixture.reserved().receipt
      checkEqual(try await fixture.queue.acknowledge(receipt), true, "the acknowledgement")
      checkEqual(try await fixture.queue.acknowledge(receipt), false, "a second one")
      fixture.clock.advance(by: .seconds(60))
      checkEqual(try await fixture.queue.reserve(), nil, "the next job")
      checkEqual(try await fixture.queue.size(), 0, "the size")
    }
    Clause("tells-jobs-apart", "a receipt is worth nothing for another job") { fixture in
      for job in [Job.a, .b, .c] { _ = try await fixture.queue.push(job) }
      let (a, b, c) = try await (
        fixture.reserved().receipt, fixture.reserved().receipt, fixture.reserved().receipt
      )
      checkEqual(try await fixture.queue.acknowledge(b), true, "the acknowledgement of b")
      checkEqual(try await fixture.queue.retry(c), true, "the retry of c")
      checkEqual(try await fixture.queue.acknowledge(a), true, "the acknowledgement of a")
      checkEqual(try await fixture.queue.size(), 1, "the size")
      fixture.clock.advance(by: .seconds(10))
      checkEqual(try await fixture.reserved().job.id, "c", "the job that is left")
    }
    Clause("uses-receipts-up", "a receipt is worth nothing after a retry") { fixture in
      _ = try await fixture.queue.push(.a)
      let receipt = try await fixture.reserved().receipt
      checkEqual(try await fixture.queue.retry(receipt), true, "the retry")
      checkEqual(try await fixture.queue.acknowledge(receipt), false, "an acknowledgement")
      checkEqual(try await fixture.queue.retry(receipt), false, "a second retry")
      fixture.clock.advance(by: .seconds(10))
      let next = try await fixture.reserved().receipt
      fixture.clock.advance(by: .seconds(30))
      checkEqual(try await fixture.queue.retry(next), false, "a retry when the time is up")
    }
    Clause("expires-receipts", "a receipt is worth nothing once its time is up") { fixture in
      _ = try await fixture.queue.push(.a)
      let old = try await fixture.reserved().receipt
      fixture.clock.advance(by: .seconds(30))
      checkEqual(try await fixture.queue.acknowledge(old), false, "a late acknowledgement")
      let new = try await fixture.reserved().receipt
      checkEqual(try await fixture.queue.retry(old), false, "retry with the old receipt")
      checkEqual(try await fixture.queue.acknowledge(old), false, "the old receipt")
      checkEqual(try await fixture.queue.acknowledge(new), true, "the new receipt")
    }
  }

  @ClauseBuilder<JobQueueFixture> private static var failureClauses: [Clause<JobQueueFixture>] {
    Clause("backs-off", "a job that failed waits 10 s, and 20 s after its second failure") {
      fixture in
      _ = try await fixture.queue.push(.a)
      for seconds in [10, 20] {
        let receipt = try await fixture.reserved().receipt
        checkEqual(try await fixture.queue.retry(receipt), true, "the retry")
        fixture.clock.advance(by: .milliseconds(seconds * 1000 - 1))
        checkEqual(
          try await fixture.queue.reserve(), nil, "the job 1 ms before \(seconds) s are over")
        fixture.clock.advance(by: .milliseconds(1))
      }
      checkEqual(try await fixture.reserved().receipt.attempt, 3, "the number of the attempt")
    }
    Clause("gives-up", "a job that failed three times becomes a dead letter") { fixture in
      _ = try await fixture.queue.push(.a)
      for _ in 1...3 {
        checkEqual(try await fixture.queue.deadLetters(), [], "the dead letters before")
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.queue.retry(fixture.reserved().receipt)
      }
      checkEqual(try await fixture.queue.deadLetters(), [.a], "the dead letters")
      checkEqual(try await fixture.queue.reserve(), nil, "the next job")
      checkEqual(try await fixture.queue.size(), 0, "the size")
      checkEqual(try await fixture.queue.push(.a), false, "a push of the dead letter's id")
    }
    Clause("gives-up-the-lost", "a job whose three workers died becomes a dead letter") { fixture in
      _ = try await fixture.queue.push(.a)
      _ = try await fixture.queue.push(.b)
      for _ in 1...3 {
        _ = try await (fixture.reserved(), fixture.reserved())
        fixture.clock.advance(by: .seconds(30))
      }
      // Each operation finds the lost jobs by itself.
      checkEqual(try await fixture.queue.deadLetters(), [.a, .b], "the dead letters")
      _ = try await fixture.queue.push(.c)
      for _ in 1...3 {
        _ = try await fixture.reserved()
        fixture.clock.advance(by: .seconds(30))
      }
      checkEqual(try await fixture.queue.size(), 0, "the size")
    }
    Clause("gives-up-in-order", "the job whose time is up first is given up first") { fixture in
      _ = try await fixture.queue.push(.a, delay: .seconds(1))
      _ = try await fixture.queue.push(.b)
      for _ in 1...3 {
        checkEqual(try await fixture.reserved().job, .b, "the first job")
        fixture.clock.advance(by: .seconds(1))
        checkEqual(try await fixture.reserved().job, .a, "the second job")
        fixture.clock.advance(by: .seconds(29))
      }
      fixture.clock.advance(by: .seconds(60))
      checkEqual(try await fixture.queue.reserve(), nil, "a fourth reservation")
      checkEqual(try await fixture.queue.deadLetters(), [.b, .a], "the dead letters")
    }
  }

  @ClauseBuilder<JobQueueFixture>
  private static var persistenceClauses: [Clause<JobQueueFixture>] {
    Clause(
      "outlives", "jobs, receipts and dead letters are there when the queue is opened again",
      requires: .persistence
    ) { fixture in
      _ = try await fixture.queue.push(.a)
      _ = try await fixture.queue.push(.b)
      let receipt = try await fixture.reserved().receipt
      let again = try fixture.reopen()
      checkEqual(try await again.size(), 2, "the size")
      checkEqual(try await again.acknowledge(receipt), true, "the acknowledgement")
      checkEqual(try await again.reserve()?.job, .b, "the next job")
    }
    Clause(
      "shares", "a queue that is opened twice takes jobs from both at the same time",
      requires: .persistence
    ) { fixture in
      let queues = try [fixture.queue, fixture.reopen()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, queue) in queues.enumerated() {
          group.addTask {
            for job in 0..<100 { _ = try await queue.push(Job(id: "\(number) \(job)", body: "")) }
          }
        }
        try await group.waitForAll()
      }
      checkEqual(try await fixture.queue.size(), 200, "the size")
    }
    Absence(of: .persistence, "a queue is empty when it is opened again") { fixture in
      _ = try await fixture.queue.push(.a)
      checkEqual(try await fixture.reopen().size(), 0, "the size")
    }
  }
}
