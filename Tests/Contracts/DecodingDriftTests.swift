import ContractTesting
import DriftExploration
import Testing
import TransportDecoding
import TransportPort

@testable import TransportContract

/// Decoding transports in calls of their own, with which `contracts suggest` looks for what no clause notices.
@Suite struct DecodingDriftTests {
  @Test func `the fake's content is decoded as curl's`() async throws {
    let codings = Domain.of(
      "gzip", "x-gzip", "deflate", "br", "identity", "gzip, gzip", "gzip, identity", "zstd", "")
    let contents = Domain.of(
      "text", "gzip", "zlib", "deflated", "brotli", "gzip of gzip", "two members", "nothing")
    try await exploreDrift(of: .fakeTransport, from: .curl, settings: .drift(time: .seconds(3))) {
      Operation("get", codings, contents, .smallIntegers(around: 0, 1, 2, 9)) {
        fixture, coding, content, split in
        try await fixture.decoded(coding, encoded(content), split: split)
      }
      Operation("getTruncated", codings, contents, .smallIntegers(around: 1, 9, 18)) {
        fixture, coding, content, count in
        try await fixture.decoded(coding, Array(encoded(content).prefix(max(0, count))))
      }
      Operation("getWithMore", codings, contents, contents) { fixture, coding, content, more in
        try await fixture.decoded(coding, encoded(content) + encoded(more))
      }
      Operation("getAtMost", codings, contents, .smallIntegers(around: 0, 17)) {
        fixture, coding, content, most in
        try await fixture.decoded(coding, encoded(content), DecodingPolicy(maximumBytes: most))
      }
      Operation("getUnknown", codings, contents) { fixture, coding, content in
        try await fixture.decoded(
          coding, encoded(content), DecodingPolicy(unknownEncoding: .passThrough))
      }
      Operation("getBare", codings, .of(200, 204, 304), .of(HTTPRequest.Method.get, .head)) {
        fixture, coding, status, method in
        try await fixture.decoded(coding, [], status: status, method: method)
      }
    }
  }
}

extension TransportFixture {
  /// Sends a request to a server that answers with encoded content, and returns what the decoding policy makes of it.
  fileprivate func decoded(
    _ coding: String, _ content: [UInt8], _ policy: DecodingPolicy = DecodingPolicy(),
    split: Int? = nil, status: Int = 200, method: HTTPRequest.Method = .get
  ) async throws -> String {
    let head = """
      HTTP/1.1 \(status) OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(content.count)\r\n\r\n
      """
    let count = min(max(0, split ?? content.count), content.count)
    let world = try await world(
      .raw(head) + [.send(Array(content.prefix(count))), .send(Array(content.dropFirst(count)))]
    ).through { $0.decodingContent(policy) }
    do throws(TransportError) {
      let answer = try await world.answer(method)
      return "\(answer.text) \(answer.fields)"
    } catch {
      return "\(error.kind) \(error.detail)"
    }
  }
}

/// The text `aa bb aa bb aa bb` in a coding.
private func encoded(_ name: String) -> [UInt8] {
  switch name {
  case "text": Array("aa bb aa bb aa bb".utf8)
  case "gzip":
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3] + deflated + [0x12, 0x6A, 0x5A, 0x76, 17, 0, 0, 0]
  case "zlib": [0x78, 0x9C] + deflated + [0x2E, 0xCA, 0x05, 0x33]
  case "deflated": deflated
  case "brotli": [27, 16, 0, 248, 37, 65, 194, 196, 2, 158, 56, 192, 242, 0]
  case "gzip of gzip":
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 147, 239, 230, 96, 0, 1, 38, 102, 111, 159, 16, 15, 175]
      + [32, 15, 151, 9, 12, 66, 89, 81, 101, 130, 64, 49, 0, 168, 81, 113, 158, 28, 0, 0, 0]
  case "two members": encoded("gzip") + encoded("gzip")
  default: []
  }
}

private let deflated: [UInt8] = [75, 76, 84, 72, 74, 82, 72, 68, 144, 0]
