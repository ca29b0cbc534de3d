/// Work that is done later, at least once. This port belongs to the app, and so does its contract.
///
/// A worker *reserves* a job and acknowledges it when it is done. A worker that dies acknowledges
/// nothing: after the visibility time-out the job can be reserved again. A job that has been reserved as
/// often as the policy allows, and never acknowledged, becomes a dead letter.
///
/// Jobs come in the order in which they become available; among those of one millisecond, in the
/// order in which they were pushed.
public protocol JobQueue: Sendable {
  /// Adds a job that becomes available after a delay.
  ///
  /// A push whose answer was lost can be repeated.
  /// - Returns: `false`, without a change, if the queue or its dead letters have a job with this id.
  func push(_ job: Job, delay: Duration) async throws(JobQueueError) -> Bool

  /// Reserves the next available job for the visibility time-out; `nil` if there is none.
  func reserve() async throws(JobQueueError) -> Reservation?

  /// Removes a job that is done.
  ///
  /// - Returns: `false`, without a change, if the receipt is no longer valid: its time is up, or it was
  ///   used.
  func acknowledge(_ receipt: Receipt) async throws(JobQueueError) -> Bool

  /// Gives a job back that could not be done. It is available again after the policy's back-off, or
  /// becomes a dead letter if this was its last attempt.
  ///
  /// - Returns: `false`, without a change, if the receipt is no longer valid.
  func retry(_ receipt: Receipt) async throws(JobQueueError) -> Bool

  /// The jobs that were never done, in the order in which they were given up.
  func deadLetters() async throws(JobQueueError) -> [Job]

  /// The number of jobs that are available, delayed or reserved.
  func size() async throws(JobQueueError) -> Int
}

extension JobQueue {
  /// Adds a job that is available at once.
  public func push(_ job: Job) async throws(JobQueueError) -> Bool {
    try await push(job, delay: .zero)
  }
}

/// Work to do.
public struct Job: Hashable, Sendable {
  /// The id, which the app chooses.
  public var id: String
  /// What to do, in the app's own format.
  public var body: String

  public init(id: String, body: String) {
    self.id = id
    self.body = body
  }
}

/// The right to finish a job, until the visibility time-out.
public struct Receipt: Hashable, Sendable {
  public var jobID: Job.ID
  /// The number of the attempt, from 1.
  public var attempt: Int

  public init(jobID: Job.ID, attempt: Int) {
    self.jobID = jobID
    self.attempt = attempt
  }
}

extension Job: Identifiable {}

/// A reserved job.
public struct Reservation: Hashable, Sendable {
  public var job: Job
  public var receipt: Receipt

  public init(job: Job, receipt: Receipt) {
    self.job = job
    self.receipt = receipt
  }
}

/// When jobs come back. All times are rounded down to milliseconds.
public struct JobPolicy: Hashable, Sendable {
  /// How long a reserved job is hidden.
  public var visibility: Duration
  /// How long a job waits after its first failed attempt; each further attempt doubles it.
  public var backOff: Duration
  /// How often a job may be reserved, from 1.
  public var attempts: Int

  public init(
    visibility: Duration = .seconds(30), backOff: Duration = .seconds(10), attempts: Int = 3
  ) {
    self.visibility = visibility
    self.backOff = backOff
    self.attempts = attempts
  }

  /// How long a job waits after an attempt failed.
  public func backOff(after attempt: Int) -> Duration { backOff * (1 << min(attempt - 1, 20)) }
}

/// Why an operation has no result.
public enum JobQueueError: Error, Hashable, Sendable {
  /// The queue refused or was not reached. Nothing has changed.
  case unavailable(String)
  /// The connection broke, or time was up, before there was an answer. The operation may have happened, or
  /// may still happen.
  case outcomeUnknown(String)
}

/// The time since a moment that an app chooses once.
public typealias JobClock = @Sendable () -> Duration

extension Duration {
  /// The duration in whole milliseconds, rounded down.
  package var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
