import Foundation
import KeyValue
import KeyValueEtcd
import ScriptedOrigin
import Testing
import TransportPort

/// What the adapter sends and makes of answers that a healthy cluster does not give.
@Suite(.timeLimit(.minutes(1))) struct EtcdStoreTests {
  private let nodes: [ScriptedOrigin]

  init() throws {
    nodes = try (1...2).map { _ in try ScriptedOrigin(.respond(text: "{}")) }
  }

  private func store(
    _ nodes: [ScriptedOrigin], _ reads: EtcdStore.Reads = .linearizable
  ) throws -> EtcdStore {
    try EtcdStore(
      nodes: nodes.map { UInt16($0.port) }, prefix: "", reads: reads, limit: .seconds(30))
  }

  @Test func `the nodes are asked in turns, from the first on`() async throws {
    let store = try store(nodes)
    for counts in [[1, 0], [1, 1], [2, 1]] {
      try await store.put("key", "value")
      #expect(nodes.map(\.log.requests.count) == counts)
    }
    let request = try #require(nodes[0].log.requests.first)
    #expect(request.head.headerFields["Content-Type"] == "application/json")
  }

  @Test func `serializable reads ask one node`() async throws {
    let store = try store(nodes, .serializable(at: 1))
    for _ in 1...3 { #expect(try await store.get("key") == nil) }
    #expect(nodes.map(\.log.requests.count) == [0, 3])
  }

  @Test func `an error is no answer, whatever its content`() async throws {
    let node = try ScriptedOrigin(.respond(503, text: "{}"))
    let store = try store([node])
    await #expect(throws: KeyValueError.outcomeUnknown("503: {}")) {
      try await store.put("key", "value")
    }
  }
}
