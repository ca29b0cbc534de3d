import Synchronization

/// The fake: a queue in memory, for tests and previews.
public final class InMemoryJobQueue: JobQueue {
  private let model: Mutex<JobQueueModel>
  private let now: JobClock

  /// Creates an empty queue.
  public init(policy: JobPolicy = .init(), now: @escaping JobClock) {
    model = Mutex(JobQueueModel(policy: policy))
    self.now = now
  }

  public func push(_ job: Job, delay: Duration) -> Bool {
    model.withLock { $0.push(job, delay: delay, at: now()) }
  }

  public func reserve() -> Reservation? { model.withLock { $0.reserve(at: now()) } }

  public func acknowledge(_ receipt: Receipt) -> Bool {
    model.withLock { $0.acknowledge(receipt, at: now()) }
  }

  public func retry(_ receipt: Receipt) -> Bool {
    model.withLock { $0.retry(receipt, at: now()) }
  }

  public func deadLetters() -> [Job] { model.withLock { $0.deadLetters(at: now()) } }

  public func size() -> Int { model.withLock { $0.size(at: now()) } }
}
