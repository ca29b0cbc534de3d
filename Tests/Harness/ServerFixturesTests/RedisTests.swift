import ContractTesting
import Foundation
import ServerFixtures
import SystemProcesses
import Testing

/// Redis with the recipe of the page, as another user if this process is root.
@Suite(
  .enabled(
    if: executablePath(of: "redis-server") != nil, "install it: apt-get install redis-server"))
struct RedisTests {
  private static func ask(_ server: Server, _ words: String...) async throws -> String {
    try await ProgramRun(["redis-cli", "-h", server.host, "-p", "\(server.port)"] + words).output
  }

  @Test(.timeLimit(.minutes(3)))
  func `a killed server keeps what it acknowledged, and runs as its user`() async throws {
    let scope = FixtureScope()
    let server = try await Implementation.durableRedis.fixture(in: scope).server
    #expect(try await Self.ask(server, "set", "a", "1") == "OK\n")
    let owner =
      try FileManager.default.attributesOfItem(
        atPath: "/proc/\(try #require(server.processID))")[.ownerAccountID] as? UInt32
    #expect(owner == (geteuid() == 0 ? getpwnam("redis").pointee.pw_uid : geteuid()))
    await server.kill()
    try await server.restart()
    #expect(try await Self.ask(server, "get", "a") == "1\n")
    #expect(await scope.tearDown().isEmpty)
  }

  @Test(.timeLimit(.minutes(3)))
  func `servers side by side have ports and folders of their own`() async throws {
    let scope = FixtureScope()
    var servers: [Server] = []
    for number in 0..<3 {
      let server = try await Implementation.durableRedis.fixture(in: scope).server
      #expect(try await Self.ask(server, "set", "a", "\(number)") == "OK\n")
      servers.append(server)
    }
    await servers[0].kill()
    try await servers[0].restart()
    for (number, server) in servers.enumerated() {
      #expect(try await Self.ask(server, "get", "a") == "\(number)\n")
    }
    #expect(await scope.tearDown().isEmpty)
  }
}
