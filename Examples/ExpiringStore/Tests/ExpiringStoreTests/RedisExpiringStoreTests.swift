import ExpiringStorePort
import Foundation
import ServerFixtures
import Testing

@testable import ExpiringStoreRedis

/// What the contract can't see: what the adapter tells Redis, and how long it waits.
@Suite struct RedisExpiringStoreTests {
  @Test func `lifetimes are rounded up to milliseconds, and the longest are none`() {
    let nanosecond = Duration.nanoseconds(1)
    for (lifetime, milliseconds): (Duration, Int64?) in [
      (nanosecond, 1), (.milliseconds(1), 1), (.milliseconds(1) + nanosecond, 2),
      (.seconds(7) - nanosecond, 7000), (.seconds(7), 7000), (.seconds(7) + nanosecond, 7001),
      (Duration(secondsComponent: 0, attosecondsComponent: 2_000_000_000_000_001), 3),
      (.seconds(1_000_000_000_000) - nanosecond, 1_000_000_000_000_000),
      (.seconds(1_000_000_000_000), nil), (.seconds(Int64.max), nil),
    ] {
      #expect(RedisExpiringStore.milliseconds(lifetime) == milliseconds, "\(lifetime)")
    }
  }

  @Test func `no value is larger than Redis allows`() {
    for (size, limit) in [(1, 1), (512 << 20, 512 << 20), (512 << 20 + 1, 512 << 20)] {
      let store = RedisExpiringStore(port: 1, prefix: "", maximumValueSize: size)
      #expect(store.maximumValueSize == limit)
    }
    #expect(RedisExpiringStore(port: 1, prefix: "").maximumValueSize == 8 << 20)
  }

  /// A port that accepts connections, and never answers.
  @Test(.timeLimit(.minutes(1)), arguments: [Duration.milliseconds(300), .milliseconds(1050)])
  func `a server that does not answer is unavailable after the limit`(limit: Duration) async throws
  {
    let proxy = try TCPProxy(to: 1)
    defer { proxy.stop() }
    proxy.faults.upstream.isBlackHole = true
    proxy.faults.connectionDelay = .seconds(60) ... .seconds(60)
    let store = RedisExpiringStore(port: proxy.port, prefix: "", limit: limit)
    let start = ContinuousClock.now
    let error = await #expect(throws: ExpiringStoreError.self) { try await store.value(of: "key") }
    #expect(start.duration(to: .now) >= limit)
    #expect(error == .unavailable(reason: "Redis: Resource temporarily unavailable"))
  }

  @Test func `without a server, the reason is the system's`() async throws {
    let store = RedisExpiringStore(port: 1, prefix: "")
    let error = await #expect(throws: ExpiringStoreError.self) { try await store.value(of: "key") }
    #expect(error == .unavailable(reason: "Redis: Connection refused"))
  }

  @Test(.enabled(if: isRedisInstalled, "apt-get install redis-server"), .timeLimit(.minutes(1)))
  func `the version is the one that the program prints`() async throws {
    let store = RedisExpiringStore(port: try await redisServer.running().port, prefix: "")
    let program = Process()
    let output = Pipe()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = ["redis-server", "--version"]
    program.standardOutput = output
    try program.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.contains(" v=\(try store.serverVersion()) "), "\(text)")
  }

  @Test(.enabled(if: isRedisInstalled, "apt-get install redis-server"), .timeLimit(.minutes(1)))
  func `calls share one connection until one fails`() async throws {
    let proxy = try TCPProxy(to: await redisServer.running().port)
    defer { proxy.stop() }
    let store = RedisExpiringStore(port: proxy.port, prefix: "\(proxy.port) ")
    for _ in 1...3 { #expect(try await store.value(of: "key") == nil) }
    #expect(proxy.connectionCount == 1)
    proxy.resetConnections()
    await #expect(throws: ExpiringStoreError.self) { try await store.value(of: "key") }
    for _ in 1...3 { #expect(try await store.value(of: "key") == nil) }
    #expect(proxy.connectionCount == 2)
  }

  @Test(.enabled(if: isRedisInstalled, "apt-get install redis-server"), .timeLimit(.minutes(1)))
  func `a connection ends with its owner`() async throws {
    let port = try await redisServer.running().port
    let observer = try RedisConnection(port: port, limit: .seconds(30))
    var connection: RedisConnection? = try RedisConnection(port: port, limit: .seconds(30))
    let name = "owner-\(UInt64.random(in: 0 ... .max))"
    _ = try connection?.send(["CLIENT", "SETNAME", name].map { Array($0.utf8) })
    #expect(try observer.clients.contains(name))
    connection = nil
    while try observer.clients.contains(name) { try Task.checkCancellation() }
  }
}

extension RedisConnection {
  /// Redis's list of its clients, with their names.
  fileprivate var clients: String {
    get throws {
      String(decoding: try send([Array("CLIENT".utf8), Array("LIST".utf8)]) ?? [], as: UTF8.self)
    }
  }
}

private let isRedisInstalled =
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/redis-server")
  }
