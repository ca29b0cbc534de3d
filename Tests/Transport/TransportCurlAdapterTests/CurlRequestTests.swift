import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlRequestTests {
  /// Options with a continue timeout longer than any test.
  private static let patient: TransportOptions = {
    var options = TransportOptions()
    options.continueTimeout = .seconds(60)
    return options
  }()

  @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "PUT", "POST", "PATCH", "TRACE", "purge"])
  func `a request without a body is sent as the port specifies`(_ name: String) async throws {
    let world = try CurlWorld(.respond())
    let request = world.request(
      HTTPRequest.Method(name), "/a/../b?c=d&c=e?",
      ["X-One": "1", "x-two": "", "X-One": "2", "Accept": "text/plain"])
    let wire = try WireRequest(request, body: .none)
    _ = try await world.transport.send(request).body.collect(upTo: 10)
    let seen = try #require(world.log.requests.first)
    #expect(seen.head.method.rawValue == name)
    #expect(seen.head.target == "/a/../b?c=d&c=e?")
    #expect(sorted(seen.head.headerFields) == sorted(wire.headerFields))
    #expect(seen.head.headerFields[values: "X-One"] == ["1", "2"])
    #expect(seen.head.headerFields.first?.name == .host)
    #expect(world.log.requests.count == 1)
  }

  @Test func `field names keep their spelling, whatever the previous request used`()
    async throws
  {
    let world = try CurlWorld(.respond())
    let spellings = ["X-Name", "x-name", "X-NAME"]
    for name in spellings { try await world.answer(.get, "/", [HTTPField.Name(name): "1"]) }
    let seen = world.log.requests.compactMap { $0.head.headerFields.last?.name.rawName }
    #expect(seen == spellings)
    #expect(world.log.connectionCount == 1)
  }

  @Test(arguments: ["/?", "/", "/?a?b", "/%00%41", "/a//b/./c", "/|\"<>^`{}\\", "/'()*!$&+,;=:@"])
  func `a target is sent unchanged`(_ target: String) async throws {
    let world = try CurlWorld(.respond())
    try await world.answer(.get, target)
    #expect(world.log.requests.first?.head.target == target)
  }

  @Test func `a URL of 100 KB is sent`() async throws {
    let world = try CurlWorld(.respond())
    let target = "/" + String(repeating: "x", count: 100_000)
    try await world.answer(.get, target)
    #expect(world.log.requests.first?.head.target == target)
  }

  @Test func `Host can be overridden, and bytes above 127 are kept`() async throws {
    let world = try CurlWorld(.respond())
    var fields: HTTPFields = ["Host": "other.example"]
    fields.append(HTTPField(name: "X-Latin", bytes: [0xE9, 0x20, 0xFF]))
    try await world.answer(.get, "/", fields)
    let seen = try #require(world.log.requests.first?.head.headerFields)
    #expect(seen[values: .host] == ["other.example"])
    #expect(seen[fields: "X-Latin"].first?.bytes == [0xE9, 0x20, 0xFF])
  }

  @Test(arguments: [
    (HTTPField(name: "X-A", value: "a\r\nX-Injected: 1"), HTTPRequest.Method.get),
    (HTTPField(name: "X-A\r\nX-Injected", value: "1"), .get),
    (HTTPField(name: "X-A", value: "1"), .init("GET / HTTP/1.1\r\nX-Injected: 1")),
  ])
  func `an injected line is rejected before any connection`(
    _ field: HTTPField, _ method: HTTPRequest.Method
  ) async throws {
    let world = try CurlWorld(.respond())
    let error = try await world.failure(method, HTTPFields([field]))
    #expect(error.phase == .preparing)
    #expect(!error.bytesSent)
    #expect(world.log.connectionCount == 0)
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, "report"])
  func `a body in memory is sent with Content-Length and without Expect`(
    _ method: HTTPRequest.Method
  ) async throws {
    let world = try CurlWorld(.respond())
    let body = [UInt8]((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try await world.answer(method, body: .bytes(body))
    let seen = try #require(world.log.requests.first)
    #expect(seen.head.method == method)
    #expect(seen.head.headerFields.map(\.name) == [.host, .contentLength])
    #expect(seen.head.headerFields[.contentLength] == "2000000")
    #expect(seen.body == body)
  }

  @Test func `an empty body has a Content-Length of 0`() async throws {
    let world = try CurlWorld(.respond())
    try await world.answer(.post, body: .bytes([]))
    try await world.answer(.post)
    #expect(world.log.requests.map { $0.head.headerFields[.contentLength] } == ["0", "0"])
  }

  @Test func `a streamed body of known length is sent with Content-Length`() async throws {
    let world = try CurlWorld(.respond())
    let chunks = (0..<200).map { [UInt8](repeating: UInt8($0), count: $0 * 37) }
    let count = chunks.reduce(0) { $0 + $1.count }
    try await world.answer(.put, body: .stream(Chunks(chunks: chunks), length: count))
    let seen = try #require(world.log.requests.first)
    #expect(seen.head.headerFields[.contentLength] == "\(count)")
    #expect(seen.body == Array(chunks.joined()))
  }

  @Test func `a streamed body of unknown length is sent chunked, with trailers`() async throws {
    let world = try CurlWorld(.respond())
    let chunks = Chunks(chunks: [Array("one".utf8), [], Array("two".utf8)])
    try await world.answer(
      .post, body: .stream(chunks, trailers: { ["X-Sum": "42", "X-Empty": ""] }))
    let seen = try #require(world.log.requests.first)
    #expect(seen.head.headerFields[.transferEncoding] == "chunked")
    #expect(!seen.head.headerFields.contains(.contentLength))
    #expect(String(decoding: seen.body, as: UTF8.self) == "onetwo")
    #expect(seen.trailers == ["X-Sum": "42", "X-Empty": ""])
  }

  @Test func `an empty stream is an empty chunked body`() async throws {
    let world = try CurlWorld(.respond())
    try await world.answer(.post, body: .stream(Chunks(chunks: [])))
    let seen = try #require(world.log.requests.first)
    #expect(seen.trailers == [:])
    #expect(seen.bodyCount == 0)
  }

  @Test func `upload and download interleave`() async throws {
    let head = ScriptStep.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    let world = try CurlWorld([head, .echoBody, .send("0\r\n\r\n")])
    let (turns, next) = AsyncStream<Void>.makeStream()
    let chunks = Chunks(
      chunks: [Array("ping".utf8), Array("pong".utf8)],
      willProduce: { index in
        guard index > 0 else { return }
        for await _ in turns { break }
      })
    let exchange = try await world.transport.send(world.request(.post), body: .stream(chunks))
    var seen: [String] = []
    for try await piece in exchange.body {
      seen.append(String(decoding: piece, as: UTF8.self))
      next.yield()
    }
    #expect(seen == ["ping", "pong"])
  }

  @Test func `an error of the producer fails the request and closes the connection`() async throws {
    struct Broken: Error {}
    let world = try CurlWorld(.respond())
    let chunks = Chunks(
      chunks: [[1], [2]], failure: Broken(),
      // Fails after the request was received, so that there is a connection to close.
      willProduce: { index in
        guard index == 2 else { return }
        try await world.log.first { if case .head = $0.kind { true } else { false } }
      })
    let error = try await world.failure(.post, body: .stream(chunks, length: 10))
    #expect(error.kind == .bodyProducerFailed)
    #expect(error.underlying is Broken)
    try await world.log.first { $0.kind.isEndByPeer }
    #expect(world.log.requests.first?.trailers == nil)
  }

  @Test func `an early response ends a request whose producer is suspended`() async throws {
    let world = try CurlWorld(
      [.readBodyBytes(1), .send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), .close])
    let chunks = Chunks(
      chunks: [[1]],
      willProduce: { index in if index > 0 { try await Task.sleep(for: .seconds(60)) } })
    let answer = try await world.answer(.post, body: .stream(chunks, length: 5))
    #expect(answer.status == 413)
  }

  @Test func `a body with Expect waits for the interim response`() async throws {
    let world = try CurlWorld(
      [.send("HTTP/1.1 100 Continue\r\n\r\n")] + .respond(text: "done"))
    let answer = try await world.answer(
      .post, "/", ["Expect": "100-continue"], body: .text("hello"), options: Self.patient)
    #expect(answer.text == "done")
    #expect(answer.exchange.informationalResponses.map(\.status.code) == [100])
    #expect(world.log.requests.first?.bodyCount == 5)
  }

  @Test(
    .enabled(if: CurlLibrary.current.tracesDiscardedContent, "libcurl after 8.5 discards it"),
    arguments: [
      ["Content-Length: 3\r\n\r\n", "w", "hy"],
      ["Transfer-Encoding: chunked\r\n\r\n", "1\r\nw", "\r\n2\r\nhy\r\n0\r\n\r\n"],
      ["Content-Length: 3\r\nConnection: close\r\n\r\n", "w", "hy"],
      ["Connection: close\r\n\r\n", "w", "hy"],
    ])
  func `the content of a 417 response is complete`(_ parts: [String]) async throws {
    var script: OriginScript = [.send("HTTP/1.1 417 No\r\n")]
    for part in parts { script = script + [.pause(.milliseconds(30)), .send(part)] }
    if parts[0].contains("close") { script = script + [.close] }
    let world = try CurlWorld(script)
    let answer = try await world.answer(
      .post, "/", [.expect: "100-continue"], body: .text("hello"), options: Self.patient)
    #expect(answer.status == 417)
    #expect(answer.text == "why")
    #expect(world.log.requests.count <= 1)
  }

  @Test(
    .enabled(if: CurlLibrary.current.tracesDiscardedContent, "libcurl after 8.5 discards it"),
    arguments: ["Content-Length: 33554432", "Transfer-Encoding: chunked"])
  func `a large 417 response fails beyond the buffer limit`(_ framing: String)
    async throws
  {
    let block = framing.hasPrefix("T") ? Array("400\r\n".utf8) : []
    let end: [UInt8] = framing.hasPrefix("T") ? [0x0D, 0x0A] : []
    let world = try CurlWorld([
      .send("HTTP/1.1 417 No\r\n\(framing)\r\n\r\n"),
      .sendRepeatedly(block + [UInt8](repeating: 0x61, count: 1024) + end, count: 32 * 1024),
      .stall,
    ])
    let exchange = try await world.transport.send(
      world.request(.post, "/", [.expect: "100-continue"]), body: .text("hello"),
      options: Self.patient)
    try await world.log.first { $0.kind.isEndByPeer }
    let error = await #expect(throws: TransportError.self) {
      try await exchange.body.collect(upTo: 64 << 20)
    }
    #expect(error?.kind == .responseTooLarge(limit: 1024 * 1024))
  }

  @Test func `a body with Expect is sent after the timeout`() async throws {
    let world = try CurlWorld(.respond(text: "done"))
    var options = TransportOptions()
    options.continueTimeout = .milliseconds(50)
    let answer = try await world.answer(
      .post, "/", ["Expect": "100-continue"], body: .text("hello"), options: options)
    #expect(answer.text == "done")
    #expect(world.log.requests.first?.head.headerFields[.expect] == "100-continue")
  }

  private func sorted(_ fields: HTTPFields) -> [String] {
    fields.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
  }
}
