import ContractTesting
import Foundation
import JobQueue
import JobQueueRedis
import JobQueueSQLite
import ServerFixtures
import Synchronization
import Testing

/// A queue, its clock, and the handles with which its world is broken.
struct JobQueueFixture: Sendable {
  var queue: any JobQueue
  var clock: TestClock
  /// Opens the queue again, as another process would.
  var reopen: @Sendable () throws -> any JobQueue
  var world: World?

  /// What a fault can break.
  struct World: Sendable {
    var server: Server
    var proxy: TCPProxy?
    var replication: Replication?
  }
}

/// A clock that a clause moves.
final class TestClock: Sendable {
  private let time = Mutex(Duration.seconds(1_000_000))

  var now: JobClock { { self.time.withLock { $0 } } }

  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

extension Capability {
  static let persistence = Capability(
    "persistence", "jobs are still there when the queue is opened again")
}

extension Implementation<JobQueueFixture> {
  static let inMemory = fake("in-memory") {
    let clock = TestClock()
    return JobQueueFixture(queue: InMemoryJobQueue(now: clock.now), clock: clock) {
      InMemoryJobQueue(now: clock.now)
    }
  }
  .lacking(.persistence, because: "the jobs are in the memory of one instance")

  static let sqlite = live("sqlite") { scope in
    let file = try scope.temporaryDirectory().appendingPathComponent("jobs.sqlite")
    // In WAL mode, changes are in the log first.
    scope.witness(file: URL(fileURLWithPath: file.path + "-wal"))
    let clock = TestClock()
    return try JobQueueFixture(
      queue: SQLiteJobQueue(path: file.path, now: clock.now), clock: clock
    ) { try SQLiteJobQueue(path: file.path, now: clock.now) }
  }

  /// One server for all cases, and a queue for each.
  static let redis = live("redis") { scope in
    let server = try await scope.server(sharedRedis)
    let (name, clock) = (scope.namespace(), TestClock())
    let open = { @Sendable in RedisJobQueue(name: name, now: clock.now) { .init(port: server.port) }
    }
    return JobQueueFixture(queue: open(), clock: clock, reopen: open)
  }
}

private let sharedRedis = SharedServer(
  "redis-server", arguments: { ["--port", "\($0.port)", "--save", ""] },
  install: "apt-get install redis-server")
