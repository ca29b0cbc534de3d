import ContractTesting
import JobQueue
import Synchronization
import Testing

/// Mistakes that no change of the model makes. `contracts mutate` makes the others.
extension Contract<JobQueueFixture> {
  @SaboteurBuilder<JobQueueFixture> static var mistakes: [Saboteur<JobQueueFixture>] {
    Saboteur(
      "first-draft", "is a stack, and forgets the visibility time-out",
      caughtBy: "first-in-first-out", "time-out"
    ) { .firstDraft }
    Saboteur("forgets", "is empty when it is opened again", caughtBy: "outlives") {
      let clock = TestClock()
      return JobQueueFixture(queue: InMemoryJobQueue(now: clock.now), clock: clock) {
        InMemoryJobQueue(now: clock.now)
      }
    }
    Saboteur("clings", "keeps its jobs when it is opened again", caughtBy: "lacks-persistence") {
      let clock = TestClock()
      let queue = InMemoryJobQueue(now: clock.now)
      return JobQueueFixture(queue: queue, clock: clock) { queue }
    }
  }
}

extension JobQueueFixture {
  /// What the team wrote on the first day: an array, and nothing about time.
  static var firstDraft: Self {
    let draft = FirstDraftJobQueue()
    return Self(queue: draft, clock: TestClock()) { draft }
  }
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
