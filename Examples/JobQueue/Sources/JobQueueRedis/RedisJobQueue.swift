public import JobQueue
import Synchronization

/// A Redis server on this machine.
public struct RedisServer: Hashable, Sendable {
  /// The port on 127.0.0.1.
  public var port: UInt16
  /// How many replicas must have a change before it counts as done (`WAIT`).
  public var replicas: Int

  public init(port: UInt16, replicas: Int = 0) {
    self.port = port
    self.replicas = replicas
  }
}

/// A job queue in Redis 7, which any number of processes may share.
///
/// What survives a crash of the server is Redis's choice, not this adapter's: with snapshots alone, as
/// Debian configures it, everything since the last snapshot is lost. `appendonly yes` and
/// `appendfsync always` keep every job whose push has returned.
public final class RedisJobQueue: JobQueue {
  private let server: @Sendable () -> RedisServer
  private let name: String
  private let policy: JobPolicy
  private let limit: Duration
  private let now: JobClock
  private let idle = Mutex<[(server: RedisServer, connection: RedisConnection)]>([])

  /// Opens a queue on a server of this machine. It connects when it is used.
  ///
  /// - Parameters:
  ///   - name: The queue's name, the prefix of its keys.
  ///   - policy: When jobs come back; the same for all who use the queue.
  ///   - limit: How long each send and receive may block.
  ///   - now: The clock. It must agree among all who use the queue.
  ///   - server: Returns the present primary. It is asked for each operation, since a replica may have
  ///     taken its place.
  public init(
    name: String = "jobs", policy: JobPolicy = .init(), limit: Duration = .seconds(1),
    now: @escaping JobClock, server: @escaping @Sendable () -> RedisServer
  ) {
    self.server = server
    self.name = name
    self.policy = policy
    self.limit = limit
    self.now = now
  }

  public func push(_ job: Job, delay: Duration) async throws(JobQueueError) -> Bool {
    let due = now().milliseconds + delay.milliseconds
    return try await run(RedisScript.push, job.id, job.body, "\(due)") == .integer(1)
  }

  public func reserve() async throws(JobQueueError) -> Reservation? {
    let end = now().milliseconds + policy.visibility.milliseconds
    let reply = try await run(RedisScript.reserve, "\(end)")
    guard reply != .null else { return nil }
    guard case .array(let parts) = reply, parts.count == 3, case .text(let id) = parts[0],
      case .text(let body) = parts[1], case .integer(let attempt) = parts[2]
    else { throw .outcomeUnknown("not a reservation: \(reply)") }
    return Reservation(
      job: Job(id: id, body: body), receipt: Receipt(jobID: id, attempt: attempt))
  }

  public func acknowledge(_ receipt: Receipt) async throws(JobQueueError) -> Bool {
    try await run(RedisScript.acknowledge, receipt.jobID, "\(receipt.attempt)") == .integer(1)
  }

  public func retry(_ receipt: Receipt) async throws(JobQueueError) -> Bool {
    let due = now().milliseconds + policy.backOff(after: receipt.attempt).milliseconds
    return try await run(RedisScript.retry, receipt.jobID, "\(receipt.attempt)", "\(due)")
      == .integer(1)
  }

  public func deadLetters() async throws(JobQueueError) -> [Job] {
    let reply = try await run(RedisScript.deadLetters)
    guard case .array(let jobs) = reply else { throw .outcomeUnknown("not jobs: \(reply)") }
    return jobs.compactMap { job in
      guard case .array(let parts) = job, parts.count == 2, case .text(let id) = parts[0],
        case .text(let body) = parts[1]
      else { return nil }
      return Job(id: id, body: body)
    }
  }

  public func size() async throws(JobQueueError) -> Int {
    let reply = try await run(RedisScript.size)
    guard case .integer(let size) = reply else { throw .outcomeUnknown("no size: \(reply)") }
    return size
  }

  private func run(
    _ script: String, _ arguments: String...
  ) async throws(JobQueueError) -> RedisReply {
    let keys = RedisScript.keys.map { "{\(name)}:\($0)" }
    return try await send(
      ["EVAL", script, "\(keys.count)"] + keys
        + ["\(now().milliseconds)", "\(policy.attempts)"] + arguments)
  }

  /// Sends a command on an idle or a new connection, and waits for the replicas.
  private func send(_ command: [String]) async throws(JobQueueError) -> RedisReply {
    let server = server()
    let free = idle.withLock { idle in
      idle.removeAll { $0.server != server }
      return idle.popLast()?.connection
    }
    let connection =
      if let free { free } else { try RedisConnection(port: server.port, limit: limit) }
    do throws(JobQueueError) {
      let reply = try await connection.send(command)
      if server.replicas > 0 {
        let limit = "\(max(1, limit.milliseconds / 2))"
        let count = try await connection.send(["WAIT", "\(server.replicas)", limit])
        guard case .integer(server.replicas...) = count else {
          throw .outcomeUnknown("not enough replicas have it: \(count)")
        }
      }
      idle.withLock { $0.append((server, connection)) }
      return reply
    } catch {
      // The others lead to the same server, which may have ended.
      idle.withLock { $0.removeAll() }
      throw error
    }
  }
}
