import ContractTesting
import Foundation
import SystemLocks
import Testing

@testable import ExplorationEngine
@testable import FaultExploration
@testable import ServerFixtures

/// Clusters as fixtures, and the faults of their nodes.
@Suite struct SharedClusterTests {
  private func withCluster(
    _ cluster: SharedCluster, _ body: ([Server]) async throws -> Void
  ) async throws {
    let servers = try await cluster.running()
    defer { for server in servers { server.discard() } }
    try await body(servers)
  }

  @Test func `each node knows the addresses of all before it starts`() async throws {
    let nodes = Mutex<[SharedCluster.Node]>([])
    let cluster = SharedCluster(ValueServer.path, nodes: 3) { node in
      nodes.withLock { $0.append(node) }
      return ValueServer.arguments(node.place)
    }
    try await withCluster(cluster) { servers in
      #expect(servers.count == 3)
      let known = nodes.withLock(\.self).sorted { $0.number < $1.number }
      #expect(known.map(\.number) == [0, 1, 2])
      #expect(known.map(\.place.port) == servers.map(\.port))
      #expect(Set(known.map(\.addresses)).count == 1)
      #expect(known.map(\.address) == known[0].addresses)
      #expect(Set(known[0].addresses + servers.map { "127.0.0.1:\($0.port)" }).count == 6)
      for address in known[0].addresses where ClaimedPort.isSupported {
        let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(ClaimedPort(port) == nil, "nobody else gets \(address)")
      }
      let again = try await cluster.running()
      #expect(again.map(\.processID) == servers.map(\.processID))
    }
  }

  @Test func `nodes that are ready only together start together`() async throws {
    // Each waits until the others have a folder.
    let folder = NSTemporaryDirectory() + "cluster-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cluster = SharedCluster("/bin/sh", nodes: 3) { node in
      ValueServer.script(
        "touch \(folder)/\(node.number); until [ $(ls \(folder) | wc -l) = 3 ]; do :; done; "
          + "exec \"$1\" $2")(node.place)
    }
    try await withCluster(cluster) { #expect($0.allSatisfy { $0.processID != nil }) }
  }

  @Test func `a node that has ended means a new cluster with empty folders`() async throws {
    let cluster = SharedCluster(ValueServer.path, nodes: 2) { ValueServer.arguments($0.place) }
    let first = try await cluster.running()
    await first[1].kill()
    try await withCluster(cluster) { second in
      #expect(Set((first + second).map(\.port)).count == 4)
      #expect(second.allSatisfy { $0.processID != nil })
      #expect(first.allSatisfy { $0.processID == nil })
      #expect(first.allSatisfy { !FileManager.default.fileExists(atPath: $0.folder.path) })
    }
  }

  @Test func `a cluster of which one node does not start leaves none`() async throws {
    let places = Mutex<[ServerPlace]>([])
    let cluster = SharedCluster("/bin/sh", nodes: 3, within: .seconds(10)) { node in
      places.withLock { $0.append(node.place) }
      return node.number == 1
        ? ["-c", "echo no data; exit 3"] : ValueServer.script("exec \"$1\" $2")(node.place)
    }
    let error = await #expect(throws: ServerError.self) { _ = try await cluster.running() }
    #expect(error?.kind == .exited)
    #expect(error?.description.contains("no data") == true)
    for place in places.withLock(\.self) {
      #expect(throws: (any Error).self) { try Client(port: place.port) }
      #expect(!FileManager.default.fileExists(atPath: place.folder.path))
    }
  }

  @Test func `a cluster of a missing program is unavailable`() async throws {
    let cluster = SharedCluster("no-such-server", nodes: 3, install: "apt-get install it") { _ in []
    }
    let error = await #expect(throws: ServerError.self) { _ = try await cluster.running() }
    #expect(error?.unavailabilityReason?.hasSuffix("install it: apt-get install it") == true)
  }

  // MARK: - Faults

  @Test func `faults kill and stop a server`() async throws {
    let cluster = SharedCluster(ValueServer.path, nodes: 1) { ValueServer.arguments($0.place) }
    try await withCluster(cluster) { servers in
      let server = servers[0]
      let process = try #require(server.processID)
      #expect(try Client(port: server.port).ask("put seven") == .bytes("ok"))
      let kill = Fault<[Server]>.killing { $0[0] }
      #expect(kill.name == "kill")
      try await kill.strike(servers)
      #expect(!ValueServer.isRunning(process))
      #expect(try Client(port: server.port).ask("get") == .bytes("seven"))

      let pause = Fault<[Server]>.pausing("pause-first") { $0[0] }
      #expect(pause.name == "pause-first")
      let client = try Client(port: server.port)
      try await pause.strike(servers)
      client.send("hello")
      #expect(client.readSome(1, within: 50) == .nothing)
      try await pause.heal?(servers)
      #expect(client.readLine() == .bytes("hello"))
    }
  }
}
