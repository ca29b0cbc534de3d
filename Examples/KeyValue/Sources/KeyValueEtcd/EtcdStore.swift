import Foundation
public import KeyValue
import Synchronization
import TransportCurlAdapter
import TransportPort

/// A key-value store in an etcd cluster, through its JSON gateway.
///
/// The gateway encodes bytes in base64 and integers as strings, and leaves out fields that are false,
/// zero or empty.
public final class EtcdStore: KeyValueStore {
  /// How current a read is.
  public enum Reads: Sendable {
    /// The node asks the cluster first.
    case linearizable
    /// One node, by its index, answers from what it has.
    case serializable(at: Int)
  }

  private let nodes: [UInt16]
  private let prefix: String
  private let reads: Reads
  private let http: HTTPClient
  private let count = Atomic(0)

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - nodes: The ports of the nodes on 127.0.0.1, which are asked in turns.
  ///   - prefix: What the store's keys begin with.
  ///   - reads: How current a read is.
  ///   - limit: How long an operation may take.
  public init(
    nodes: [UInt16], prefix: String, reads: Reads = .linearizable, limit: Duration
  ) throws(KeyValueError) {
    self.nodes = nodes
    self.prefix = prefix
    self.reads = reads
    do {
      http = HTTPClient(transport: try CurlTransport().enforcing(Deadlines(overall: limit)))
    } catch {
      throw .unavailable(error.detail)
    }
  }

  public func get(_ key: String) async throws(KeyValueError) -> String? {
    struct Reply: Decodable {
      struct Pair: Decodable { var value: Data? }
      var kvs: [Pair]?
    }
    var request = Range(key: bytes(key))
    var node: Int?
    if case .serializable(let index) = reads { (request.serializable, node) = (true, index) }
    let reply: Reply = try await send(request, to: "range", at: node)
    return reply.kvs?.first.map { String(decoding: $0.value ?? Data(), as: UTF8.self) }
  }

  public func put(_ key: String, _ value: String) async throws(KeyValueError) {
    let _: Nothing = try await send(
      Pair(key: bytes(key), value: Data(value.utf8)), to: "put")
  }

  public func compareAndSet(
    _ key: String, from old: String?, to new: String
  ) async throws(KeyValueError) -> Bool {
    struct Reply: Decodable { var succeeded: Bool? }
    // A key that is not there has version 0.
    let comparison = Comparison(
      key: bytes(key), target: old == nil ? "VERSION" : "VALUE",
      value: old.map { Data($0.utf8) }, version: old == nil ? "0" : nil)
    let reply: Reply = try await send(
      Transaction(
        compare: [comparison],
        success: [.init(requestPut: Pair(key: bytes(key), value: Data(new.utf8)))]),
      to: "txn")
    return reply.succeeded ?? false
  }

  public func delete(_ key: String) async throws(KeyValueError) -> Bool {
    struct Reply: Decodable { var deleted: String? }
    let reply: Reply = try await send(Range(key: bytes(key)), to: "deleterange")
    return reply.deleted == "1"
  }

  private func bytes(_ key: String) -> Data { Data((prefix + key).utf8) }

  private func send<Reply: Decodable>(
    _ request: some Encodable, to path: String, at index: Int? = nil
  ) async throws(KeyValueError) -> Reply {
    let node = nodes[(index ?? count.add(1, ordering: .relaxed).oldValue) % nodes.count]
    let answer: HTTPDataResponse
    let body: Data
    do {
      body = try JSONEncoder().encode(request)
    } catch {
      throw .unavailable("\(error)")
    }
    do {
      answer = try await http.post(
        .bytes(Array(body)), to: "http://127.0.0.1:\(node)/v3/kv/\(path)",
        contentType: "application/json")
    } catch {
      throw error.bytesSent ? .outcomeUnknown("\(error.kind)") : .unavailable("\(error.kind)")
    }
    guard answer.response.status.code == 200,
      let reply = try? JSONDecoder().decode(Reply.self, from: Data(answer.body))
    else { throw .outcomeUnknown("\(answer.response.status.code): \(answer.text.prefix(200))") }
    return reply
  }
}

// The gateway's messages. `Data` is encoded in base64.

private struct Nothing: Decodable {}

private struct Pair: Encodable {
  var key: Data
  var value: Data
}

private struct Range: Encodable {
  var key: Data
  var serializable: Bool?
}

private struct Comparison: Encodable {
  var key: Data
  var result = "EQUAL"
  var target: String
  var value: Data?
  var version: String?
}

private struct Transaction: Encodable {
  struct Operation: Encodable { var requestPut: Pair }
  var compare: [Comparison]
  var success: [Operation]
}
