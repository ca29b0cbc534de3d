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
    _ body: [UInt8], _ encoding: String, size: Int = .max,
    policy: DecodingPolicy = DecodingPolicy(), limit: Int = 1 << 26
  ) async throws(TransportError) -> [UInt8] {
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Content-Encoding": encoding], body: body).split(into: size)
    }
    let exchange = try await fake.decodingContent(policy).send(HTTPRequest(url: "http://h/"))
    return try await exchange.body.collect(upTo: limit)
  }

  private static func kind(
    _ body: [UInt8], _ encoding: String, size: Int = .max, policy: DecodingPolicy = DecodingPolicy()
  ) async throws -> TransportError.Kind {
    let error = try await #require(throws: TransportError.self) {
      try await decode(body, encoding, size: size, policy: policy)
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

  @Test func `br is decoded in any split`() async throws {
    for size in [1, 2, 20, .max] {
      #expect(try await Self.decode(Brotli.encoded, "br", size: size).text == Brotli.text)
    }
  }

  @Test func `several encodings are decoded from the last to the first`() async throws {
    let twice = deflated(deflated(Self.text, windowBits: 15), windowBits: 31)
    #expect(try await Self.decode(twice, "deflate, gzip", size: 5) == Self.text)
    #expect(
      try await Self.kind(twice, "gzip, gzip, gzip, gzip, gzip")
        == .unknownEncoding("gzip, gzip, gzip, gzip, gzip"))
  }

  @Test func `several gzip members are one content`() async throws {
    let one = deflated(Array("one ".utf8), windowBits: 31)
    let empty = deflated([], windowBits: 31)
    let two = deflated(Self.text, windowBits: 31)
    for size in [1, 7, .max] {
      let whole = try await Self.decode(one + empty + two, "gzip", size: size)
      #expect(whole == Array("one ".utf8) + Self.text)
    }
  }

  @Test(arguments: ["gzip", "deflate", "br"])
  func `an empty body is empty content`(encoding: String) async throws {
    #expect(try await Self.decode([], encoding) == [])
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

  @Test(arguments: [("gzip", 31), ("deflate", 15), ("deflate", -15)])
  func `bytes after the end are an error`(encoding: String, bits: Int) async throws {
    let whole = deflated(Array("hello".utf8), windowBits: Int32(bits))
    for size in [1, .max] {
      #expect(
        try await Self.kind(whole + Array("junk".utf8), encoding, size: size) == .corruptEncoding)
    }
    #expect(try await Self.kind(Brotli.encoded + [0], "br") == .corruptEncoding)
  }

  @Test func `a wrong checksum, a wrong header and plain text are errors`() async throws {
    var gzip = deflated(Self.text, windowBits: 31)
    gzip[gzip.count - 6] ^= 1
    #expect(try await Self.kind(gzip, "gzip") == .corruptEncoding)
    #expect(try await Self.kind(Array("plain text".utf8), "gzip") == .corruptEncoding)
    #expect(try await Self.kind([0xFF, 0xFF, 0xFF, 0xFF], "deflate") == .corruptEncoding)
    #expect(try await Self.kind(Array(repeating: 0xFF, count: 40), "br") == .corruptEncoding)
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

  @Test func `a decompression bomb is stopped by ratio and by size`() async throws {
    let bomb = deflated(Array(repeating: 0, count: 8 << 20), windowBits: 31)
    #expect(try await Self.kind(bomb, "gzip") == .decompressionBomb)
    let loose = DecodingPolicy(maximumBytes: 1 << 20, maximumRatio: nil)
    #expect(try await Self.kind(bomb, "gzip", policy: loose) == .decompressionBomb)
    let open = DecodingPolicy(maximumBytes: nil, maximumRatio: nil)
    #expect(try await Self.decode(bomb, "gzip", policy: open).count == 8 << 20)
    let nested = deflated(bomb, windowBits: 31)
    #expect(try await Self.kind(nested, "gzip, gzip") == .decompressionBomb)
  }

  @Test func `content of less than one byte per 64 encoded ones is stopped after 1 MiB`()
    async throws
  {
    let member = deflated([], windowBits: 31)
    let empty = Array(repeatElement(member, count: (1 << 20) / member.count + 1).joined())
    #expect(try await Self.kind(empty, "gzip") == .decompressionBomb)
    let open = DecodingPolicy(maximumOverhead: nil)
    #expect(try await Self.decode(empty, "gzip", policy: open).isEmpty)
    let dense = Array(
      repeatElement(deflated([0x61], windowBits: 31), count: (1 << 20) / 20).joined())
    #expect(try await Self.decode(dense, "gzip").count == (1 << 20) / 20)
  }

  @Test(arguments: [0, -1, Int.min])
  func `a ratio below 1 counts as 1`(ratio: Int) async throws {
    let bomb = deflated(Array(repeating: 0, count: 2 << 20), windowBits: 31)
    let policy = DecodingPolicy(maximumRatio: ratio)
    #expect(try await Self.kind(bomb, "gzip", policy: policy) == .decompressionBomb)
  }

  @Test func `content of up to 1 MiB may have any ratio`() async throws {
    let small = deflated(Array(repeating: 0, count: 1 << 20), windowBits: 31)
    #expect(try await Self.decode(small, "gzip").count == 1 << 20)
  }

  @Test func `a decompression bomb closes its connection at the limit`() async throws {
    let bomb = deflated(Array(repeating: 0, count: 64 << 20), windowBits: 31)
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Content-Encoding": "gzip"], body: bomb).split(into: 512)
    }
    let exchange = try await fake.decodingContent().send(HTTPRequest(url: "http://h/"))
    _ = try await #require(throws: TransportError.self) {
      try await exchange.body.collect(upTo: .max)
    }
    #expect(fake.connectionCount == 0)
  }

  @Test func `an unknown encoding fails or passes through, by policy`() async throws {
    #expect(try await Self.kind([1], "zstd") == .unknownEncoding("zstd"))
    #expect(try await Self.kind([1], "gzip, foo") == .unknownEncoding("gzip, foo"))
    let passing = DecodingPolicy(unknownEncoding: .passThrough)
    #expect(try await Self.decode([1], "zstd", policy: passing) == [1])
  }

  @Test func `only a decoded response loses its encoding and length fields`() async throws {
    let body = deflated(Self.text, windowBits: 31)
    let fake = FakeTransport { _ in
      .respond(headerFields: ["Content-Encoding": "gzip", "X": "y"], body: body)
    }
    let transport = fake.decodingContent()
    let decoded = try await transport.send(HTTPRequest(url: "http://h/")).response.headerFields
    #expect(decoded.map(\.description) == ["X: y"])
    for name in ["Accept-Encoding", "Range"] {
      let request = HTTPRequest(
        url: "http://h/", headerFields: [HTTPField.Name(name): "identity"])
      let raw = try await transport.send(request)
      #expect(raw.response.headerFields[.contentEncoding] == "gzip")
      #expect(try await raw.body.collect(upTo: 1 << 20) == body)
    }
    let asked = fake.requests.map { $0.head.headerFields[.acceptEncoding] }
    #expect(asked == ["gzip, deflate, br", "identity", nil])
  }

  @Test func `a response without a body is unchanged`() async throws {
    let fake = FakeTransport { request in
      [
        .send(
          "HTTP/1.1 \(request.path.dropFirst()) \r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n"
        )
      ]
    }
    for (method, code) in [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 304)] {
      let exchange = try await fake.decodingContent()
        .send(HTTPRequest(method: method, url: "http://h/\(code)"))
      #expect(exchange.response.headerFields[.contentEncoding] == "gzip")
      #expect(try await exchange.body.collect(upTo: 0) == [])
    }
  }

  @Test func `trailers and errors of the transport are passed on`() async throws {
    let body = deflated(Array("hello".utf8), windowBits: 31)
    let head = Array(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let chunk = Array("\(String(body.count, radix: 16))\r\n".utf8) + body + [0x0D, 0x0A]
    let good = FakeTransport { _ in [.send(head + chunk + Array("0\r\nX: y\r\n\r\n".utf8))] }
    let exchange = try await good.decodingContent().send(HTTPRequest(url: "http://h/"))
    #expect(try await exchange.body.collect(upTo: 9).text == "hello")
    #expect(exchange.body.trailerFields == ["X": "y"])
    let bad = FakeTransport { _ in [.send(head + chunk), .reset] }
    let error = try await #require(throws: TransportError.self) {
      try await bad.decodingContent().send(HTTPRequest(url: "http://h/")).body.collect(upTo: 9)
    }
    #expect(error.kind == .connectionReset)
  }

  @Test func `redirects, decoding and deadlines combine`() async throws {
    let fake = FakeTransport { request in
      request.path == "/end"
        ? .respond(
          headerFields: ["Content-Encoding": "gzip"],
          body: deflated(Array("hello".utf8), windowBits: 31)) : .redirect(to: "/end")
    }
    let transport = fake.retryingWhenSafe().followingRedirects().decodingContent()
      .enforcing(Deadlines(overall: .seconds(60)))
    let response = try await HTTPClient(transport: transport).get("http://h/start")
    #expect(response.text == "hello")
    #expect(response.request.url == "http://h/end")
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
