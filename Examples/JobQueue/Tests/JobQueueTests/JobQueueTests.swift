import ContractExploration
import ContractTesting
import DriftExploration
import Foundation
import JobQueue
import JobQueueSQLite
import Testing

@Suite struct JobQueueTests {
  @Test func `the back-off doubles with each attempt, up to 20 times`() {
    let policy = JobPolicy(backOff: .seconds(3))
    for (attempt, factor) in [(1, 1), (2, 2), (3, 4), (21, 1 << 20), (22, 1 << 20), (99, 1 << 20)] {
      #expect(policy.backOff(after: attempt) == .seconds(3 * factor))
    }
  }

  @Test func `times are rounded down to milliseconds`() {
    for (duration, milliseconds): (Duration, Int64) in [
      (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999), 0),
      (.milliseconds(1), 1),
      (.seconds(7) + .nanoseconds(1_999_999), 7001),
      (.seconds(1_000_000_007) + .milliseconds(999), 1_000_000_007_999),
    ] {
      #expect(duration.milliseconds == milliseconds)
    }
  }

  @Test func `an SQLite file has a write-ahead log until the queue is gone`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    try {
      let queue = try SQLiteJobQueue(path: folder.path + "/jobs", now: { .zero })
      #expect(try queue.push(Job(id: "a", body: ""), delay: .zero))
      #expect(try names() == ["jobs", "jobs-shm", "jobs-wal"])
      withExtendedLifetime(queue) {}
    }()
    #expect(try names() == ["jobs"])
  }

  @Test(
    arguments: Contract.jobs.cases(for: .inMemory, .sqlite, .redis) + Contract.jobs.saboteurCases)
  func holds(_ contractCase: ContractCase<JobQueueFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(arguments: [Implementation<JobQueueFixture>.sqlite, .redis])
  func `the fake answers one worker as the real queue does`(
    _ queue: Implementation<JobQueueFixture>
  ) async throws {
    let delays = Domain.durations(around: .seconds(5))
    try await exploreDrift(of: .inMemory, from: queue, settings: .drift(time: .seconds(3))) {
      Operation("push", .keys, .texts, delays) { fixture, id, body, delay in
        try await fixture.queue.push(Job(id: id, body: body), delay: delay)
      }
      Operation("reserve") { fixture in try await fixture.queue.reserve() }
      Operation("acknowledge", .result(of: "reserve", \Reservation.receipt)) { fixture, receipt in
        try await fixture.queue.acknowledge(receipt)
      }
      Operation("retry", .result(of: "reserve", \Reservation.receipt)) { fixture, receipt in
        try await fixture.queue.retry(receipt)
      }
      Operation("deadLetters") { fixture in try await fixture.queue.deadLetters() }
      Operation("size") { fixture in try await fixture.queue.size() }
      Operation("pass", .of(.milliseconds(1), .seconds(5), .seconds(10), .seconds(30))) {
        fixture, time in
        fixture.clock.advance(by: time)
      }
    }
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
