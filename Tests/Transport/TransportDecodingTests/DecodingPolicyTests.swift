import Testing
import TransportDecoding
import TransportPort

@Suite struct DecodingPolicyTests {
  private static let text = Array(
    (0..<5000).map { "line \($0 * 7919 % 1000)\n" }.joined().utf8)

  private enum Outcome: Equatable {
    case decoded([UInt8])
    case failed(TransportError.Kind)
  }

  /// Returns an encoded body as a fake's client receives it with the policy.
  private static func decode(
    _ body: [UInt8], _ encoding: String, size: Int = .max
  ) async throws(TransportError) -> [UInt8] {
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Content-Encoding": encoding], body: body).split(into: size)
    }
    let exchange = try await fake.decodingContent().send(HTTPRequest(url: "http://h/"))
    return try await exchange.body.collect(upTo: 1 << 20)
  }

  private static func kind(
    _ body: [UInt8], _ encoding: String
  ) async throws -> TransportError.Kind {
    let error = try await #require(throws: TransportError.self) {
      try await decode(body, encoding)
    }
    #expect(error.phase == .decoding)
    return error.kind
  }

  @Test(arguments: [
    ("gzip", 31), ("x-gzip", 31), ("GZIP", 31), ("deflate", 15), ("deflate", -15),
    ("gzip, identity", 31), ("identity", 0),
  ])
  func `content is decoded in any split`(encoding: String, bits: Int) async throws {
    let body = bits == 0 ? Self.text : deflated(Self.text, windowBits: Int32(bits))
    for size in [1, 2, 3, 17, 1000, .max] {
      #expect(try await Self.decode(body, encoding, size: size) == Self.text)
    }
  }

  @Test(arguments: [31, 15, -15])
  func `a stream truncated at any byte is an error`(bits: Int) async throws {
    let whole = deflated(Array("hello hello hello".utf8), windowBits: Int32(bits))
    let name = bits == 31 ? "gzip" : "deflate"
    for count in 1..<whole.count {
      #expect(try await Self.kind(Array(whole.prefix(count)), name) == .truncatedEncoding)
    }
    let member = deflated(Array("x".utf8), windowBits: 31)
    #expect(try await Self.kind(member + member.prefix(5), "gzip") == .truncatedEncoding)
  }

  @Test func `br truncated at any byte is an error`() async throws {
    for count in 1..<Brotli.encoded.count - 1 {
      #expect(
        try await Self.kind(Array(Brotli.encoded.prefix(count)), "br") == .truncatedEncoding)
    }
  }

  @Test func `mutated streams neither trap nor depend on the split`() async throws {
    let sources = [
      ("gzip", deflated(Self.text, windowBits: 31)),
      ("deflate", deflated(Self.text, windowBits: -15)),
      ("br", Brotli.encoded),
    ]
    for round in 0..<300 {
      var (encoding, bytes) = sources[round % sources.count]
      bytes[round * 7919 % bytes.count] ^= UInt8(round % 255 + 1)
      var results: [Outcome] = []
      for size in [13, Int.max] {
        do throws(TransportError) {
          results.append(.decoded(try await Self.decode(bytes, encoding, size: size)))
        } catch {
          results.append(.failed(error.kind))
        }
      }
      #expect(results[0] == results[1])
    }
  }

  @Test func `an error of the transport is passed on`() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999\r\n\r\n"
    let body = deflated(Array("hello".utf8), windowBits: 31)
    let fake = FakeTransport { _ in [.send(Array(head.utf8) + body), .reset] }
    let error = try await #require(throws: TransportError.self) {
      try await fake.decodingContent().send(HTTPRequest(url: "http://h/")).body.collect(upTo: 9)
    }
    #expect(error.kind == .connectionReset)
  }
}
