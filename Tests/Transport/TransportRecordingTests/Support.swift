import Foundation
import Testing
import TransportPort
import TransportRecording

/// A folder that is removed with its owner.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/recording-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func bytes(of name: String) throws -> Data { try Data(contentsOf: URL(filePath: file(name))) }

  func json(of name: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: bytes(of: name)) as? [String: Any]
    return try #require(object?["log"] as? [String: Any])
  }

  func entries(of name: String) throws -> [[String: Any]] {
    try #require(json(of: name)["entries"] as? [[String: Any]])
  }
}

/// What a caller sees of one exchange.
struct Seen: Equatable {
  var status: Int?
  var fields: HTTPFields = [:]
  var informational: [Int] = []
  var body: [UInt8] = []
  var trailers: HTTPFields?
  var failure: TransportError.Kind?
  var phase: TransportError.Phase?
  var error: TransportError?

  init(
    _ transport: any HTTPTransport, _ request: HTTPRequest, body: HTTPRequestBody = .none
  ) async {
    do throws(TransportError) {
      let exchange = try await transport.send(request, body: body)
      status = exchange.response.status.code
      fields = exchange.response.headerFields
      informational = exchange.informationalResponses.map(\.status.code)
      var iterator = exchange.body.makeAsyncIterator()
      while let chunk = try await iterator.next() { self.body += chunk }
      trailers = exchange.body.trailerFields
    } catch {
      failure = error.kind
      phase = error.phase
      self.error = error
    }
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  static func == (left: Seen, right: Seen) -> Bool {
    left.status == right.status && left.fields == right.fields && left.body == right.body
      && left.informational == right.informational && left.trailers == right.trailers
      && left.failure == right.failure && left.phase == right.phase
  }
}

/// Chunks of content, which may end with an error.
struct Chunks: AsyncSequence, Sendable {
  struct Failed: Error {}

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<String>
    let fails: Bool

    mutating func next() async throws -> [UInt8]? {
      if let chunk = rest.popFirst() { return Array(chunk.utf8) }
      if fails { throw Failed() }
      return nil
    }
  }

  var chunks: [String]
  var fails = false

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: chunks[...], fails: fails) }
}

extension HTTPArchive {
  /// An archive of the given entries.
  init(entries: String...) throws {
    try self.init(Array("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}".utf8))
  }

  /// The text of an entry.
  static func entry(
    _ method: String = "GET", _ url: String = "http://h/", post: String? = nil,
    answer: String = "ok", date: String = "2026-01-01T00:00:00Z"
  ) -> String {
    let data = post.map { ",\"postData\":{\"mimeType\":\"\",\"text\":\($0.json)}" } ?? ""
    return """
      {"startedDateTime":"\(date)","request":{"method":"\(method)","url":"\(url)","headers":[]\(data)},
      "response":{"status":200,"headers":[],"content":{"size":1,"text":\(answer.json)}}}
      """
  }
}

extension String {
  /// The text as a JSON string.
  var json: String {
    let data = try? JSONSerialization.data(withJSONObject: self, options: .fragmentsAllowed)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}
