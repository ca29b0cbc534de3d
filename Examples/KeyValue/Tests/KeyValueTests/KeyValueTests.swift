import ContractExploration
import ContractTesting
import KeyValue
import KeyValueEtcd
import ServerFixtures
import Testing

/// `CONTRACT_EXPLORE_SECONDS=600` gives each exploration ten minutes.
@Suite struct KeyValueTests {
  @Test(arguments: [Implementation<KeyValueFixture>.inMemory, .etcd])
  func `every answer is the model's`(_ store: Implementation<KeyValueFixture>) async throws {
    try await explore(KeyValueSpecification(), on: store, settings: .init(time: .seconds(3)))
  }

  @Test func `linearizable reads hold while nodes are killed and stopped`() async throws {
    try await exploreConcurrently(
      KeyValueSpecification(), on: .etcd,
      faults: [.killFirst, .killSecond, .pauseFirst, .pauseThird], callLimit: .seconds(5),
      settings: .init(time: .seconds(8), steps: 24))
  }

  @Test func `serializable reads are found stale`() async throws {
    // A node that was stopped answers from what it had.
    let finding = try await expectFinding {
      try await exploreConcurrently(
        KeyValueSpecification(), on: .etcdSerializable, faults: [.pauseThird],
        callLimit: .seconds(5),
        settings: .init(time: .seconds(120), steps: 16, shrinkTime: .seconds(10)), filePath: nil)
    }
    #expect((finding?.callCount ?? 0) <= 6, "usually 3, and more where a value was written twice")
  }
}

/// A store, and the nodes that keep it.
struct KeyValueFixture: Sendable {
  var store: any KeyValueStore
  var nodes: [Server] = []
}

extension Fault<KeyValueFixture> {
  static let killFirst = killing("kill-first") { $0.nodes[0] }
  static let killSecond = killing("kill-second") { $0.nodes[1] }
  static let pauseFirst = pausing("pause-first") { $0.nodes[0] }
  static let pauseThird = pausing("pause-third") { $0.nodes[2] }
}

extension Implementation<KeyValueFixture> {
  static let inMemory = fake("in-memory") { KeyValueFixture(store: InMemoryKeyValueStore()) }
  static let etcd = etcd("etcd", .linearizable, limit: .seconds(4))
  static let etcdSerializable = etcd("etcd-serializable", .serializable(at: 2), limit: .seconds(1))

  private static func etcd(_ id: String, _ reads: EtcdStore.Reads, limit: Duration) -> Self {
    live(id) { scope in
      let nodes = try await scope.servers(cluster)
      let store = try EtcdStore(
        nodes: nodes.map(\.port), prefix: scope.namespace(), reads: reads, limit: limit)
      return KeyValueFixture(store: store, nodes: nodes)
    }.exclusive("etcd")
  }
}

private let cluster = SharedCluster(
  "etcd", nodes: 3, readiness: .log(containing: "ready to serve client requests"),
  install: "apt-get install etcd-server"
) { node in
  let client = "http://127.0.0.1:\(node.place.port)"
  let peers = node.addresses.enumerated().map { "node\($0)=http://\($1)" }
  return [
    "--name", "node\(node.number)", "--data-dir", node.place.folder.path,
    "--listen-client-urls", client, "--advertise-client-urls", client,
    "--listen-peer-urls", "http://\(node.address)",
    "--initial-advertise-peer-urls", "http://\(node.address)",
    "--initial-cluster", peers.joined(separator: ","),
    "--heartbeat-interval", "50", "--election-timeout", "500",
  ]
}
