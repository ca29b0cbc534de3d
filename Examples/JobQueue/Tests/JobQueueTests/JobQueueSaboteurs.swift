import ContractTesting
import JobQueue
import Synchronization
import Testing

extension Contract<JobQueueFixture> {
  /// The fake that the team wrote first.
  static var firstDraft: Saboteur<JobQueueFixture> {
    Saboteur(
      "first-draft", "is a stack, and forgets the visibility time-out",
      caughtBy: "first-in-first-out", "time-out"
    ) { .firstDraft }
  }

  @SaboteurBuilder<JobQueueFixture> static var flaws: [Saboteur<JobQueueFixture>] {
    Saboteur("drops-bodies", "keeps ids only", caughtBy: "keeps-bodies") {
      .flawed {
        $0.onPush = { queue, job, delay in queue.push(Job(id: job.id, body: ""), delay: delay) }
      }
    }
    Saboteur("ignores-delays", "makes each job available at once", caughtBy: "delays") {
      .flawed { $0.onPush = { queue, job, _ in queue.push(job, delay: .zero) } }
    }
    Saboteur("pushes-twice", "accepts an id that it has", caughtBy: "pushes-once") {
      .flawed {
        $0.onPush = { queue, job, delay in
          if !queue.push(job, delay: delay) {
            _ = queue.push(Job(id: job.id + "'", body: job.body), delay: delay)
          }
          return true
        }
      }
    }
    Saboteur("counts-available", "does not count reserved jobs", caughtBy: "counts") {
      let reserved = Mutex(0)
      return .flawed {
        $0.onReserve = { queue in
          let next = queue.reserve()
          if next != nil { reserved.withLock { $0 += 1 } }
          return next
        }
        $0.onSize = { $0.size() - reserved.withLock { $0 } }
      }
    }
    Saboteur("gives-to-all", "does not hide a reserved job", caughtBy: "reserves-once") {
      let last = Mutex<Reservation?>(nil)
      return .flawed {
        $0.onReserve = { queue in
          let next = queue.reserve()
          return last.withLock { last in
            last = next ?? last
            return last
          }
        }
      }
    }
    Saboteur("keeps-done-jobs", "gives an acknowledged job again", caughtBy: "acknowledges") {
      .flawed { $0.onAcknowledge = { queue, receipt in queue.retry(receipt) } }
    }
    Saboteur("trusts-receipts", "accepts every receipt", caughtBy: "expires-receipts") {
      .flawed {
        $0.onAcknowledge = { queue, receipt in
          _ = queue.acknowledge(receipt)
          return true
        }
      }
    }
    Saboteur("is-impatient", "makes a failed job available at once", caughtBy: "backs-off") {
      .flawed(policy: .init(backOff: .zero))
    }
    Saboteur(
      "never-gives-up", "allows a thousand attempts", caughtBy: "gives-up", "gives-up-the-lost"
    ) {
      .flawed(policy: .init(attempts: 1_000))
    }
    Saboteur("forgets", "is empty when it is opened again", caughtBy: "outlives") {
      let clock = TestClock()
      return JobQueueFixture(queue: InMemoryJobQueue(now: clock.now), clock: clock) {
        InMemoryJobQueue(now: clock.now)
      }
    }
    Saboteur("clings", "keeps its jobs when it is opened again", caughtBy: "lacks-persistence") {
      .flawed()
    }
  }
}

extension JobQueueFixture {
  /// The fake with a mistake.
  fileprivate static func flawed(
    policy: JobPolicy = .init(), _ change: (inout FlawedJobQueue) -> Void = { _ in }
  ) -> Self {
    let clock = TestClock()
    var queue = FlawedJobQueue(queue: InMemoryJobQueue(policy: policy, now: clock.now))
    change(&queue)
    let flawed = queue
    return Self(queue: flawed, clock: clock) { flawed }
  }

  /// What the team wrote on the first day: an array, and nothing about time.
  static var firstDraft: Self {
    let draft = FirstDraftJobQueue()
    return Self(queue: draft, clock: TestClock()) { draft }
  }
}

/// The fake, and closures that may be replaced.
private struct FlawedJobQueue: JobQueue {
  let queue: InMemoryJobQueue
  var onPush: @Sendable (InMemoryJobQueue, Job, Duration) -> Bool = { $0.push($1, delay: $2) }
  var onReserve: @Sendable (InMemoryJobQueue) -> Reservation? = { $0.reserve() }
  var onAcknowledge: @Sendable (InMemoryJobQueue, Receipt) -> Bool = { $0.acknowledge($1) }
  var onSize: @Sendable (InMemoryJobQueue) -> Int = { $0.size() }

  init(queue: InMemoryJobQueue) { self.queue = queue }

  func push(_ job: Job, delay: Duration) -> Bool { onPush(queue, job, delay) }
  func reserve() -> Reservation? { onReserve(queue) }
  func acknowledge(_ receipt: Receipt) -> Bool { onAcknowledge(queue, receipt) }
  func retry(_ receipt: Receipt) -> Bool { queue.retry(receipt) }
  func deadLetters() -> [Job] { queue.deadLetters() }
  func size() -> Int { onSize(queue) }
}

/// The first draft of the fake. Each line looks right.
final class FirstDraftJobQueue: JobQueue {
  private let state = Mutex((waiting: [(job: Job, attempt: Int)](), taken: [Job.ID: (Job, Int)]()))

  func push(_ job: Job, delay: Duration) -> Bool {
    state.withLock { state in
      guard !state.waiting.contains(where: { $0.job.id == job.id }), state.taken[job.id] == nil
      else { return false }
      state.waiting.append((job, 1))
      return true
    }
  }

  func reserve() -> Reservation? {
    state.withLock { state in
      guard let (job, attempt) = state.waiting.popLast() else { return nil }
      state.taken[job.id] = (job, attempt)
      return Reservation(job: job, receipt: Receipt(jobID: job.id, attempt: attempt))
    }
  }

  func acknowledge(_ receipt: Receipt) -> Bool {
    state.withLock { $0.taken.removeValue(forKey: receipt.jobID) != nil }
  }

  func retry(_ receipt: Receipt) -> Bool {
    state.withLock { state in
      guard let (job, attempt) = state.taken.removeValue(forKey: receipt.jobID) else {
        return false
      }
      state.waiting.append((job, attempt + 1))
      return true
    }
  }

  func deadLetters() -> [Job] { [] }
  func size() -> Int { state.withLock { $0.waiting.count + $0.taken.count } }
}
