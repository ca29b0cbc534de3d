import Foundation
import JobQueue
import ServerFixtures
import Synchronization
import Testing

@testable import JobQueueRedis

/// What the contract can't see: the data in Redis, the connections, and how long a call waits.
@Suite(.enabled(if: isRedisInstalled, "apt-get install redis-server"), .timeLimit(.minutes(1)))
struct RedisJobQueueTests {
  private let server = SharedServer(
    "redis-server", arguments: { ["--port", "\($0.port)", "--save", ""] },
    install: "apt-get install redis-server")

  private func queue(
    policy: JobPolicy = .init(), on server: @escaping @Sendable () -> RedisServer
  ) -> RedisJobQueue {
    RedisJobQueue(policy: policy, now: { .zero }, server: server)
  }

  /// Other versions of the app read them.
  @Test func `the names of the keys are part of the format`() async throws {
    let port = try await server.running().port
    let queue = queue(policy: JobPolicy(attempts: 1)) { .init(port: port) }
    for id in ["dead", "reserved", "waiting"] {
      #expect(try await queue.push(Job(id: id, body: "body")))
    }
    let dead = try #require(try await queue.reserve())
    #expect(try await queue.retry(dead.receipt))
    #expect(try await queue.reserve()?.job.id == "reserved")
    let connection = try RedisConnection(port: port, limit: .seconds(30))
    let names = ["schedule", "reserved", "bodies", "members", "attempts", "dead", "pushes"]
    for (name, type) in zip(
      names, ["zset", "zset", "hash", "hash", "hash", "list", "string"])
    {
      #expect(try await connection.send(["TYPE", "{jobs}:\(name)"]) == .text(type), "\(name)")
    }
    #expect(try await connection.send(["DBSIZE"]) == .integer(names.count))
  }

  @Test func `calls share one connection until one fails or the server changes`() async throws {
    let port = try await server.running().port
    let proxies = try (1...2).map { _ in try TCPProxy(to: port) }
    defer { for proxy in proxies { proxy.stop() } }
    let present = Present(proxies[0].port)
    let queue = queue { .init(port: present.port) }
    func expectConnections(_ counts: [Int]) async throws {
      for _ in 1...3 { #expect(try await queue.size() == 0) }
      #expect(proxies.map(\.connectionCount) == counts)
    }
    try await expectConnections([1, 0])
    present.port = proxies[1].port
    try await expectConnections([1, 1])
    present.port = proxies[0].port
    try await expectConnections([2, 1])
    proxies[0].resetConnections()
    await #expect(throws: JobQueueError.self) { try await queue.size() }
    try await expectConnections([3, 1])
  }

  @Test func `after a failure, no connection of the same time is used`() async throws {
    let proxy = try TCPProxy(to: try await server.running().port)
    defer { proxy.stop() }
    let queue = queue { .init(port: proxy.port) }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 1...8 { group.addTask { try await queue.size() } }
      try await group.waitForAll()
    }
    proxy.resetConnections()
    await #expect(throws: JobQueueError.self) { try await queue.size() }
    for _ in 1...3 { #expect(try await queue.size() == 0) }
  }

  @Test func `without replicas, no call waits for them`() async throws {
    let port = try await server.running().port
    #expect(RedisServer(port: port).replicas == 0)
    let queue = queue { .init(port: port) }
    #expect(try await queue.size() == 0)
    let connection = try RedisConnection(port: port, limit: .seconds(30))
    guard case .text(let report) = try await connection.send(["INFO", "commandstats"]) else {
      Issue.record("INFO has no text")
      return
    }
    #expect(report.contains("cmdstat_eval:"))
    #expect(!report.contains("cmdstat_wait:"))
  }

  @Test func `a connection ends with its owner`() async throws {
    let port = try await server.running().port
    let observer = try RedisConnection(port: port, limit: .seconds(30))
    func clients() async throws -> String { "\(try await observer.send(["CLIENT", "LIST"]))" }
    var connection: RedisConnection? = try RedisConnection(port: port, limit: .seconds(30))
    _ = try await connection?.send(["CLIENT", "SETNAME", "owner"])
    #expect(try await clients().contains("name=owner"))
    connection = nil
    while try await clients().contains("name=owner") { try Task.checkCancellation() }
  }
}

/// Servers that can't be reached.
@Suite(.timeLimit(.minutes(1))) struct RedisConnectionTests {
  @Test func `without a server, the reason is the system's`() {
    #expect(throws: JobQueueError.unavailable("127.0.0.1:1: Connection refused")) {
      try RedisConnection(port: 1, limit: .seconds(30))
    }
  }

  /// A port that accepts connections, and never answers.
  @Test(arguments: [Duration.milliseconds(300), .milliseconds(1050)])
  func `after the limit, the outcome is unknown`(limit: Duration) async throws {
    let proxy = try TCPProxy(to: 1)
    defer { proxy.stop() }
    proxy.faults.upstream.isBlackHole = true
    proxy.faults.connectionDelay = .seconds(60) ... .seconds(60)
    let connection = try RedisConnection(port: proxy.port, limit: limit)
    let start = ContinuousClock.now
    await #expect(throws: JobQueueError.outcomeUnknown("Resource temporarily unavailable")) {
      try await connection.send(["PING"])
    }
    #expect(start.duration(to: .now) >= limit)
  }
}

/// The port of the present server.
private final class Present: Sendable {
  private let value: Mutex<UInt16>

  init(_ port: UInt16) { value = Mutex(port) }

  var port: UInt16 {
    get { value.withLock(\.self) }
    set { value.withLock { $0 = newValue } }
  }
}

private let isRedisInstalled =
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/redis-server")
  }
