import ContractTesting
import ExplorationEngine
import FaultExploration
import Foundation
import ServerFixtures
import Testing

// The code of the page ServerFixtures, and what it takes for granted.

protocol JobQueue: Sendable {
  func push(_ job: String) async throws
  func reserve() async throws -> String?
}

/// Only compiled: the package's tests need no Redis.
struct RedisJobQueue: JobQueue {
  init(port: UInt16) throws {}
  func push(_ job: String) async throws {}
  func reserve() async throws -> String? { nil }
}

struct JobQueueFixture: Sendable {
  var queue: any JobQueue
  var server: Server
}

extension Implementation where Fixture == JobQueueFixture {
  static let redis = live("redis") { scope in
    let server = try await scope.server(
      "redis-server",
      arguments: { ["--port", "\($0.port)", "--save", "", "--dir", $0.folder.path] },
      install: "apt-get install redis-server")
    return JobQueueFixture(queue: try RedisJobQueue(port: server.port), server: server)
  }
}

/// `RedisTests` runs the server.
extension Implementation where Fixture == JobQueueFixture {
  static let durableRedis = live("durable-redis") { scope in
    let server = try await scope.server(
      "redis-server",
      arguments: {
        [
          "--port", "\($0.port)", "--bind", $0.host, "--dir", $0.folder.path, "--save", "",
          "--appendonly", "yes", "--appendfsync", "always",
        ]
      }, install: "apt-get install redis-server", user: "redis")
    return JobQueueFixture(queue: try RedisJobQueue(port: server.port), server: server)
  }
}

/// Only compiled: `PostgresTests` runs the server.
struct PostgresJobQueue: JobQueue {
  init(port: UInt16) throws {}
  func push(_ job: String) async throws {}
  func reserve() async throws -> String? { nil }
}

extension Implementation where Fixture == JobQueueFixture {
  static let postgres = live("postgres") { scope in
    let server = try await scope.server(
      "/bin/sh",
      arguments: { ["-c", postgresScript, "sh", "\($0.port)"] },
      readiness: .log(containing: "database system is ready to accept connections"),
      within: .seconds(60), install: "apt-get install postgresql", user: "postgres")
    return JobQueueFixture(queue: try PostgresJobQueue(port: server.port), server: server)
  }
}

let postgresScript = """
  PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
  [ -e data ] || initdb -D data -A trust -U postgres >&2 || exit
  exec postgres -D data -p "$1" -c listen_addresses=127.0.0.1 -c unix_socket_directories=
  """

extension Fault<JobQueueFixture> {
  static let kill = killing { $0.server }
  static let pause = pausing { $0.server }
}

extension ClauseGroup<JobQueueFixture> {
  static let restart = ClauseGroup("Restart") {
    Clause("survives-restart", "jobs survive a restart of the server") { fixture in
      try await fixture.queue.push("a")
      try await fixture.server.restart()
      checkEqual(try await fixture.queue.reserve(), "a", "the reserved job")
    }
  }
}

@Suite struct ServerFixturesPageTests {
  @Test func `every line of code on the page is in this file`() throws {
    let file = URL(filePath: #filePath)
    let root = file.deletingLastPathComponent().appending(path: "../../..").standardized
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/Harness/ServerFixtures/ServerFixtures.docc/ServerFixtures.md"),
      encoding: .utf8)
    let code = try String(contentsOf: file, encoding: .utf8)
    let known = Set(code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 5)
    for line in blocks.joined().split(separator: "\n") {
      let isKnown = known.contains(line.trimmingCharacters(in: .whitespaces))
      #expect(isKnown, "\(line)")
    }
  }
}
