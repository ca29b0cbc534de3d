/// The behaviour of a job queue, without a clock.
public struct JobQueueModel: Hashable, Sendable {
  /// A job that is available, delayed or reserved.
  private struct Entry: Hashable {
    var job: Job
    /// When it becomes available, in milliseconds.
    var due: Int64
    var attempts = 0
    var isReserved = false
  }

  public let policy: JobPolicy
  public private(set) var deadLetters: [Job] = []
  /// The jobs, in the order in which they were pushed.
  private var entries: [Entry] = []

  /// Creates an empty queue.
  public init(policy: JobPolicy = .init()) { self.policy = policy }

  /// The receipts that are valid.
  public var receipts: [Receipt] {
    entries.filter(\.isReserved).map { Receipt(jobID: $0.job.id, attempt: $0.attempts) }
  }

  public mutating func push(_ job: Job, delay: Duration, at now: Duration) -> Bool {
    guard !entries.contains(where: { $0.job.id == job.id }),
      !deadLetters.contains(where: { $0.id == job.id })
    else { return false }
    entries.append(Entry(job: job, due: now.milliseconds + delay.milliseconds))
    return true
  }

  public mutating func reserve(at now: Duration) -> Reservation? {
    expire(at: now)
    // The reserved ones are due later: their time is not up.
    let available = entries.indices.filter { entries[$0].due <= now.milliseconds }
    // The first of those that are due at the same time.
    guard let next = available.min(by: { entries[$0].due < entries[$1].due }) else { return nil }
    entries[next].isReserved = true
    entries[next].attempts += 1
    entries[next].due = now.milliseconds + policy.visibility.milliseconds
    let job = entries[next].job
    return Reservation(
      job: job, receipt: Receipt(jobID: job.id, attempt: entries[next].attempts))
  }

  public mutating func acknowledge(_ receipt: Receipt, at now: Duration) -> Bool {
    expire(at: now)
    guard let index = index(of: receipt) else { return false }
    entries.remove(at: index)
    return true
  }

  public mutating func retry(_ receipt: Receipt, at now: Duration) -> Bool {
    expire(at: now)
    guard let index = index(of: receipt) else { return false }
    if receipt.attempt >= policy.attempts {
      deadLetters.append(entries.remove(at: index).job)
    } else {
      entries[index].isReserved = false
      entries[index].due = now.milliseconds + policy.backOff(after: receipt.attempt).milliseconds
    }
    return true
  }

  public mutating func deadLetters(at now: Duration) -> [Job] {
    expire(at: now)
    return deadLetters
  }

  public mutating func size(at now: Duration) -> Int {
    expire(at: now)
    return entries.count
  }

  /// Ends the reservations whose time is up.
  private mutating func expire(at now: Duration) {
    let expired = entries.filter { $0.isReserved && $0.due <= now.milliseconds }
      .sorted { $0.due < $1.due }
    for entry in expired {
      guard let index = entries.firstIndex(of: entry) else { continue }
      if entry.attempts >= policy.attempts {
        deadLetters.append(entries.remove(at: index).job)
      } else {
        entries[index].isReserved = false
      }
    }
  }

  private func index(of receipt: Receipt) -> Int? {
    entries.firstIndex {
      $0.isReserved && $0.job.id == receipt.jobID && $0.attempts == receipt.attempt
    }
  }
}
