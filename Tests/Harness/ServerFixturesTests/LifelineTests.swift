import Foundation
import SeededRandom
import Testing

@testable import ContractTesting
@testable import ServerFixtures

/// What is left of servers when the test process dies.
@Suite struct LifelineTests {
  // MARK: - In a process of their own, which the tests below kill

  @Test(.enabled(if: ServerOwner.current != nil))
  func `owns servers until it is killed`() async throws {
    let scope = FixtureScope()
    for _ in 0..<4 { try await start(in: scope) }
    try await Task.sleep(for: .seconds(600))
  }

  /// With many ports whose servers are down.
  @Test(.enabled(if: ServerOwner.current != nil))
  func `holds ports until it is killed`() async throws {
    let ports = try (0..<500).map { _ in try ClaimedPort() }
    for port in ports { ServerOwner.announce(.init(process: 0, folder: "-", port: port.number)) }
    let scope = FixtureScope()
    for _ in 0..<10 { try await start(in: scope) }
    try await Task.sleep(for: .seconds(600))
  }

  @Test(.enabled(if: ServerOwner.current != nil))
  func `starts and ends servers until it is killed`() async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          while true {
            let scope = FixtureScope()
            try await start(in: scope)
            _ = await scope.tearDown()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func start(in scope: FixtureScope) async throws {
    // With a child that leaves the server's session.
    let server = try await scope.server(
      "/bin/sh", arguments: ValueServer.script("(setsid sleep 1000 &); exec \"$1\" $2"))
    ServerOwner.announce(
      .init(
        process: server.processID ?? 0, folder: server.folder.deletingLastPathComponent().path,
        port: server.port))
  }

  // MARK: - Tests

  /// A process that a shell has started in the background ignores SIGINT, and so do those that it starts.
  private static let signals: [Int32] = {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let ignored =
      status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
      .flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
    return [SIGKILL, SIGTERM, SIGINT].filter { ignored >> UInt64($0 - 1) & 1 == 0 }
  }()

  @Test(arguments: signals)
  func `servers and their folders go when the test process is killed`(signal: Int32) async throws {
    let owner = try ServerOwner(running: "LifelineTests/`owns servers")
    let servers = await owner.servers(untilSending: signal, after: 4)
    #expect(servers.count == 4)
    try await expectNothingLeft(of: owner, servers)
  }

  @Test(.enabled(if: ClaimedPort.isSupported, "only Linux has names that a process can claim"))
  func `two runs side by side never have a port or a folder in common`() async throws {
    let owners = try (0..<2).map { _ in try ServerOwner(running: "LifelineTests/`holds ports") }
    var servers: [ServerOwner.StartedServer] = []
    for owner in owners { servers += await owner.servers(untilSending: nil, after: 510) }
    let claimed = servers.filter { ClaimedPort($0.port) == nil }
    #expect(claimed.count == servers.count, "a port of another run can be claimed")
    for owner in owners { await owner.end() }
    #expect(servers.count == 1_020)
    #expect(Set(servers.map(\.port)).count == 1_020)
    #expect(Set(servers.map(\.folder)).count == 21)
  }

  /// `Scripts/soak` runs 1,000 servers.
  @Test func `nothing is left of servers whose process is killed while it starts and ends them`()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    let goal = environment["CONTRACT_SOAK_SERVERS"].flatMap { Int($0) } ?? 30
    var random = SplitMix64(seed: UInt64.random(in: 0...UInt64.max))
    var (started, kills) = (0, 0)
    while started < goal || kills < goal / 10 {
      let owner = try ServerOwner(running: "LifelineTests/`starts and ends")
      let servers = await owner.servers(
        untilSending: SIGKILL, after: Int.random(in: 1...20, using: &random))
      try #require(!servers.isEmpty)
      guard try await expectNothingLeft(of: owner, servers) else { return }
      started += servers.count
      kills += 1
    }
    print("\(started) servers started, their process killed \(kills) times, nothing left")
  }

  /// Waits until every process of an owner and every folder of its servers is gone.
  @discardableResult
  private func expectNothingLeft(
    of owner: ServerOwner, _ servers: [ServerOwner.StartedServer]
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      let processes = try owner.leftProcesses()
      let folders = try FileManager.default.contentsOfDirectory(atPath: owner.folder.path)
        .filter { $0.hasPrefix("contract-server-") }
      if processes.isEmpty, folders.isEmpty,
        !servers.contains(where: { ValueServer.isRunning($0.process) })
      {
        return true
      }
      guard ContinuousClock.now < deadline else {
        Issue.record("left are processes \(processes) and folders \(folders)")
        return false
      }
      await Task.yield()
    }
  }
}
