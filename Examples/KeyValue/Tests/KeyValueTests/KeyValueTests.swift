import ContractExploration
import ContractTesting
import Foundation
import KeyValue
import KeyValueEtcd
import ServerFixtures
import Testing

/// A store, and the nodes that keep it.
struct KeyValueFixture: Sendable {
  var store: any KeyValueStore
  var nodes: [Server] = []
}

extension Fault<KeyValueFixture> {
  static let killFirst = Fault("kill-first", within: .seconds(60)) {
    try await $0.nodes[0].restart()
  }
  static let killSecond = Fault("kill-second", within: .seconds(60)) {
    try await $0.nodes[1].restart()
  }
  static let pauseFirst = Fault("pause-first") {
    $0.nodes[0].pause()
  } healing: {
    $0.nodes[0].resume()
  }
  static let pauseThird = Fault("pause-third") {
    $0.nodes[2].pause()
  } healing: {
    $0.nodes[2].resume()
  }
}

extension Implementation<KeyValueFixture> {
  static let inMemory = fake("in-memory") { KeyValueFixture(store: InMemoryKeyValueStore()) }
  static let etcd = etcd("etcd", reads: .linearizable, limit: .seconds(4))
  static let etcdSerializable = etcd(
    "etcd-serializable", reads: .serializable, limit: .milliseconds(1_500))

  private static func etcd(_ id: String, reads: EtcdStore.Reads, limit: Duration) -> Self {
    live(id) { scope in
      let nodes = try await Cluster.shared.running(in: scope)
      return KeyValueFixture(
        store: try EtcdStore(
          nodes: nodes.map(\.port), prefix: scope.namespace(), reads: reads, limit: limit),
        nodes: nodes)
    }
    .exclusive("etcd")
  }
}

/// Three nodes of etcd, which start once.
struct Cluster: Sendable {
  static let shared = Cluster()

  private let nodes: [SharedServer]

  private init() {
    // Each node needs the addresses of the others before it starts. On Linux every 127.x.y.z is local.
    let id = Int(ProcessInfo.processInfo.processIdentifier)
    let peers = (0..<3).map { "http://127.\($0 + 10).\(id / 250 % 250 + 1).\(id % 250 + 1):2380" }
    let names = peers.indices.map { "node\($0)=\(peers[$0])" }
    nodes = peers.enumerated().map { index, peer in
      SharedServer(
        "etcd",
        arguments: { place in
          let client = "http://127.0.0.1:\(place.port)"
          return [
            "--name", "node\(index)", "--data-dir", place.folder.path,
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", names.joined(separator: ","),
            "--heartbeat-interval", "50", "--election-timeout", "500",
          ]
        }, readiness: .log(containing: "ready to serve client requests"), within: .seconds(30),
        install: "apt-get install etcd-server")
    }
  }

  func running(in scope: FixtureScope) async throws -> [Server] {
    // A node is ready when there is a majority, so all start at once.
    async let first = scope.server(nodes[0])
    async let second = scope.server(nodes[1])
    async let third = scope.server(nodes[2])
    return try await [first, second, third]
  }
}

extension Contract<KeyValueFixture> {
  static let keyValue = Contract("key-value", "Key-value store") {
    Clause("puts", "the last value that was put is the present one") { fixture in
      checkEqual(try await fixture.store.get("a"), nil, "the value at first")
      for value in ["1", "", "日本\0"] {
        try await fixture.store.put("a", value)
        checkEqual(try await fixture.store.get("a"), value, "the value")
      }
      checkEqual(try await fixture.store.get("b"), nil, "the value of another key")
    }
    Clause("compares", "a value is set only where the present one is the expected one") { fixture in
      let store = fixture.store
      checkEqual(try await store.compareAndSet("a", from: "1", to: "2"), false, "from no value")
      checkEqual(try await store.compareAndSet("a", from: nil, to: "1"), true, "from none")
      checkEqual(try await store.compareAndSet("a", from: nil, to: "2"), false, "from none again")
      checkEqual(try await store.compareAndSet("a", from: "1", to: "2"), true, "from the value")
      checkEqual(try await store.get("a"), "2", "the value")
    }
    Clause("deletes", "a deleted key has no value") { fixture in
      checkEqual(try await fixture.store.delete("a"), false, "a deletion of nothing")
      try await fixture.store.put("a", "1")
      checkEqual(try await fixture.store.delete("a"), true, "the deletion")
      checkEqual(try await fixture.store.get("a"), nil, "the value")
    }
  } saboteurs: {
    Saboteur("forgets", "reads nothing", caughtBy: "puts", "compares") {
      KeyValueFixture(store: FlawedStore(isForgetful: true))
    }
    Saboteur("keeps", "deletes nothing", caughtBy: "deletes") {
      KeyValueFixture(store: FlawedStore())
    }
  }
}

/// The fake with a mistake.
struct FlawedStore: KeyValueStore {
  let base = InMemoryKeyValueStore()
  var isForgetful = false

  func get(_ key: String) -> String? { isForgetful ? nil : base.get(key) }
  func put(_ key: String, _ value: String) { base.put(key, value) }
  func compareAndSet(_ key: String, from old: String?, to new: String) -> Bool {
    base.compareAndSet(key, from: old, to: new)
  }
  func delete(_ key: String) -> Bool { base.get(key) != nil }
}

/// `CONTRACT_EXPLORE_SECONDS=600` gives each exploration ten minutes.
@Suite struct KeyValueTests {
  @Test(arguments: Contract.keyValue.cases(for: .inMemory, .etcd) + Contract.keyValue.saboteurCases)
  func holds(_ contractCase: ContractCase<KeyValueFixture>) async throws {
    try await contractCase.verify()
  }

  @Test func `linearizable reads hold while nodes are killed and stopped`() async throws {
    try await exploreConcurrently(
      KeyValueSpecification(), on: .etcd,
      faults: [.killFirst, .killSecond, .pauseFirst, .pauseThird], callLimit: .seconds(5),
      settings: .init(runs: 1_000, time: .seconds(8), steps: 24))
  }

  @Test func `serializable reads are found stale`() async throws {
    var report: FaultReport<KeyValueSpecification>?
    await withKnownIssue(isIntermittent: true) {
      // A read that waits at a stopped node is answered from what the node had.
      report = try await exploreConcurrently(
        KeyValueSpecification(), on: .etcdSerializable, faults: [.pauseThird],
        callLimit: .seconds(5),
        settings: .init(runs: 1_000, time: .seconds(120), steps: 24, shrinkTime: .seconds(3)))
    }
    guard let report else { return }
    let failure = try #require(report.failure, "\(report)")
    // How small it gets depends on chance: the same calls are not always stale.
    #expect(failure.problem == nil, "\(failure)")
  }
}
