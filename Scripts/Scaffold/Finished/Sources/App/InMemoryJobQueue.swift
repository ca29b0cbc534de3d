import Synchronization

/// The fake: a job queue in memory, for tests and previews.
public final class InMemoryJobQueue: JobQueue {
  private let model = Mutex(JobQueueModel())

  /// Creates a job queue without contents.
  public init() {}

  public func enqueue(_ job: Job) async throws(JobQueueError) -> Int {
    try model.withLock { model throws(JobQueueError) in
      try model.enqueue(job)
    }
  }

  public func take() async throws(JobQueueError) -> Assignment? {
    try model.withLock { model throws(JobQueueError) in
      try model.take()
    }
  }

  public func complete(_ ticket: Int) async throws(JobQueueError) {
    try model.withLock { model throws(JobQueueError) in
      try model.complete(ticket)
    }
  }

  public var count: Int {
    get async throws(JobQueueError) {
      try model.withLock { model throws(JobQueueError) in
        try model.count
      }
    }
  }
}

/// The behaviour of a job queue, without locks, clocks or I/O.
public struct JobQueueModel: Hashable, Sendable {
  private var lastTicket = 0
  private var waiting: [Assignment] = []
  private var taken: [Assignment] = []

  /// Creates the model of a job queue that has not been used.
  public init() {}

  public mutating func enqueue(_ job: Job) throws(JobQueueError) -> Int {
    guard waiting.count < 100 else { throw .full(limit: 100) }
    lastTicket += 1
    waiting.append(Assignment(ticket: lastTicket, job: job))
    return lastTicket
  }

  public mutating func take() throws(JobQueueError) -> Assignment? {
    guard !waiting.isEmpty else { return nil }
    taken.append(waiting.removeFirst())
    return taken.last
  }

  public mutating func complete(_ ticket: Int) throws(JobQueueError) {
    guard let index = taken.firstIndex(where: { $0.ticket == ticket }) else {
      throw .unknownTicket(ticket)
    }
    taken.remove(at: index)
  }

  public var count: Int { get throws(JobQueueError) { waiting.count } }
}
