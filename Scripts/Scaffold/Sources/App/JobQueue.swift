/// A queue of jobs that workers share.
public protocol JobQueue: Sendable {
  /// Adds a job at the end, and returns its ticket.
  ///
  /// - Throws: ``JobQueueError/full(limit:)`` if 100 jobs wait.
  func enqueue(_ job: Job) async throws(JobQueueError) -> Int

  /// Takes the oldest job that waits, or returns `nil`.
  func take() async throws(JobQueueError) -> Assignment?

  /// Forgets a job that was taken.
  ///
  /// - Throws: ``JobQueueError/unknownTicket(_:)`` if no such job was taken.
  func complete(_ ticket: Int) async throws(JobQueueError)

  /// The number of jobs that wait.
  var count: Int { get async throws(JobQueueError) }
}

public struct Job: Hashable, Sendable, Codable {
  public var owner: String
  public var name: String

  public init(owner: String, name: String) {
    self.owner = owner
    self.name = name
  }
}

/// A job that a worker has taken.
public struct Assignment: Hashable, Sendable, Codable {
  public var ticket: Int
  public var job: Job

  public init(ticket: Int, job: Job) {
    self.ticket = ticket
    self.job = job
  }
}

public enum JobQueueError: Error, Hashable {
  case full(limit: Int)
  case unknownTicket(Int)
  case unusable(String)
}
