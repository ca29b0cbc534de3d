import ContractExploration
import ContractTesting
import Foundation
import JobQueue
import JobQueueRedis
import ServerFixtures
import Synchronization
import Testing

extension Fault<JobQueueFixture> {
  /// The server is killed, and starts again on its data.
  static let kill = Fault("kill") { try await $0.world?.server.restart() }

  /// The server is stopped for some calls. Connections stay open, and nothing answers.
  static let pause = Fault("pause") {
    $0.world?.server.pause()
  } healing: {
    $0.world?.server.resume()
  }

  /// Connections are reset after two bytes of a reply.
  static let cutReply = Fault("cut-reply") {
    $0.world?.proxy?.faults.downstream.cut = .init(after: 2, by: .reset)
  } healing: {
    $0.world?.proxy?.faults.downstream.cut = nil
  }

  /// The replica does not hear from the primary for some calls.
  static let partition = Fault("partition") {
    try await $0.world?.replication?.separate()
  } healing: {
    try await $0.world?.replication?.join()
  }

  /// The replica falls behind for some calls. Then the primary is killed, and the replica takes its place.
  static let failOver = Fault("fail-over") {
    try await $0.world?.replication?.separate()
  } healing: {
    try await $0.world?.replication?.failOver()
  }
}

extension Implementation<JobQueueFixture> {
  /// Redis as Debian configures it: snapshots alone.
  static let snapshots = redis("snapshots", ["--save", "3600 1 300 100 60 10000"])

  /// Every command is on the disk before it is answered.
  static let always = redis(
    "always", ["--appendonly", "yes", "--appendfsync", "always"], limit: .seconds(2))

  /// Redis with a server of its own for each fixture, because faults break it.
  static func redis(
    _ id: String, _ options: [String], limit: Duration = .seconds(4)
  ) -> Self {
    live(id) { scope in
      let server = try await scope.redis(options)
      let proxy = try scope.proxy(to: server.port)
      return .redis(.init(server: server, proxy: proxy), limit: limit) {
        RedisServer(port: proxy.port)
      }
    }
  }

  /// Redis behind an adapter that repeats what had no answer.
  static let repeating = live("repeating") { scope in
    let server = try await scope.redis(["--save", ""])
    let proxy = try scope.proxy(to: server.port)
    var fixture = JobQueueFixture.redis(.init(server: server, proxy: proxy)) {
      RedisServer(port: proxy.port)
    }
    let direct = RedisJobQueue(now: fixture.clock.now) { RedisServer(port: server.port) }
    fixture.queue = RepeatingJobQueue(first: fixture.queue, second: direct)
    return fixture
  }

  /// A primary, and a replica that may take its place.
  static let replicated = live("replicated") { scope in
    let replication = try await Replication(in: scope, replicas: 0)
    return .redis(replication.world) { replication.server }
  }

  /// The same, where a change counts once the replica has it.
  static let replicatedWait = live("replicated-wait") { scope in
    let replication = try await Replication(in: scope, replicas: 1)
    return .redis(replication.world) { replication.server }
  }
}

extension JobQueueFixture {
  fileprivate static func redis(
    _ world: World, limit: Duration = .seconds(4),
    _ server: @escaping @Sendable () -> RedisServer
  ) -> Self {
    let clock = TestClock()
    let queue = RedisJobQueue(limit: limit, now: clock.now, server: server)
    return Self(queue: queue, clock: clock, reopen: { queue }, world: world)
  }
}

extension FixtureScope {
  fileprivate func redis(_ options: [String]) async throws -> Server {
    try await server(
      "redis-server", arguments: { ["--port", "\($0.port)", "--dir", $0.folder.path] + options },
      readiness: .log(containing: "Ready to accept connections"),
      install: "apt-get install redis-server")
  }
}

/// A primary and its replica.
final class Replication: Sendable {
  private let primary: Server
  private let replica: Server
  private let present: Mutex<RedisServer>
  private let isSeparate = Mutex(false)

  init(in scope: FixtureScope, replicas: Int) async throws {
    primary = try await scope.redis(["--save", "", "--repl-diskless-sync-delay", "0"])
    replica = try await scope.redis(["--save", ""])
    present = Mutex(RedisServer(port: primary.port, replicas: replicas))
    try await join()
  }

  /// Where clients find the primary.
  var server: RedisServer { present.withLock { $0 } }

  var world: JobQueueFixture.World { .init(server: primary, replication: self) }

  /// Lets the replica follow the primary, and waits until it has everything.
  func join() async throws {
    guard server.port == primary.port else { return }
    try await tell("127.0.0.1", "\(primary.port)")
    try await awaitReplica()
    isSeparate.withLock { $0 = false }
  }

  private func awaitReplica() async throws {
    let connection = try RedisConnection(port: primary.port, limit: .seconds(20))
    // WAIT is for the changes of its own connection.
    _ = try await connection.send(["SET", "joined", "1"])
    guard try await connection.send(["WAIT", "1", "10000"]) == .integer(1) else {
      throw NotJoined()
    }
  }

  struct NotJoined: Error {}

  /// Lets the replica follow nobody who answers, once it has everything: only later changes are missing.
  func separate() async throws {
    guard server.port == primary.port, !isSeparate.withLock({ $0 }) else { return }
    try await awaitReplica()
    isSeparate.withLock { $0 = true }
    try await tell("127.0.0.1", "1")
  }

  func failOver() async throws {
    guard server.port == primary.port else { return }
    await primary.kill()
    try await tell("NO", "ONE")
    present.withLock { $0 = RedisServer(port: replica.port) }
  }

  private func tell(_ host: String, _ port: String) async throws {
    let connection = try RedisConnection(port: replica.port, limit: .seconds(10))
    _ = try await connection.send(["REPLICAOF", host, port])
  }
}

/// A queue that tries again, on another connection, when it got no answer.
private struct RepeatingJobQueue: JobQueue {
  let first: any JobQueue
  let second: any JobQueue

  func push(_ job: Job, delay: Duration) async throws(JobQueueError) -> Bool {
    try await repeating { queue throws(JobQueueError) in try await queue.push(job, delay: delay) }
  }
  func reserve() async throws(JobQueueError) -> Reservation? {
    try await repeating { queue throws(JobQueueError) in try await queue.reserve() }
  }
  func acknowledge(_ receipt: Receipt) async throws(JobQueueError) -> Bool {
    try await repeating { queue throws(JobQueueError) in try await queue.acknowledge(receipt) }
  }
  func retry(_ receipt: Receipt) async throws(JobQueueError) -> Bool {
    try await repeating { queue throws(JobQueueError) in try await queue.retry(receipt) }
  }
  func deadLetters() async throws(JobQueueError) -> [Job] { try await second.deadLetters() }
  func size() async throws(JobQueueError) -> Int { try await second.size() }

  private func repeating<Value: Sendable>(
    _ body: (any JobQueue) async throws(JobQueueError) -> Value
  ) async throws(JobQueueError) -> Value {
    do throws(JobQueueError) {
      return try await body(first)
    } catch {
      return try await body(second)
    }
  }
}
