import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

@Suite struct CurlResponseTests {
  /// Responses that the origin sends verbatim before it closes the connection.
  static let failures: [(String, TransportError.Kind)] = [
    ("", .emptyReply),
    ("HTTP/1.1 2", .emptyReply),
    ("HTTP/1.1 200 OK\r\n", .truncatedHead),
    ("HTTP/1.1 200 OK\r\nContent-Le", .truncatedHead),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", .truncatedHead),
    ("HTTP/1.1 100 Continue\r\n\r\n", .truncatedHead),
    ("Http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .malformedHead),
    ("HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", .malformedHead),
    ("HTTP/1.1 99 OK\r\nContent-Length: 0\r\n\r\n", .malformedHead),
    ("HTTP/2 200\r\nContent-Length: 0\r\n\r\n", .malformedHead),
    ("HTTP/1.1 101 Switching\r\n\r\n", .malformedHead),
    ("garbage garbage garbage\r\n\r\n", .malformedHead),
    ("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", .malformedHead),
    ("HTTP/1.1 200 OK\r\nA\0b: c\r\n\r\n", .malformedHead),
    ("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n", .malformedHead),
    ("HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n", .malformedHead),
    ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", .conflictingLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", .invalidLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nabc", .invalidLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\nabc", .invalidLength),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      .unsupportedTransferCoding
    ),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", .truncatedBody),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n",
      .truncatedBody
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n", .badChunk),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", .badChunk),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
      .badChunk
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n", .badChunk),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n", .badChunk),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3 z\r\nabc\r\n0\r\n\r\n", .badChunk),
  ]

  @Test(arguments: failures)
  func `an invalid response fails with its kind`(
    _ text: String, _ kind: TransportError.Kind
  ) async throws {
    let world = try CurlWorld(.raw(text) + [.close])
    let error = try await world.failure()
    #expect(error.kind == kind, "\(error)")
    #expect(error.bytesSent)
    #expect(world.log.requests.count == 1)
  }

  @Test(arguments: [
    ("HTTP/1.1 204\r\n\r\n", 204, ""),
    ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", 200, "hi"),
    ("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi", 999, "hi"),
    ("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "hi"),
    ("HTTP/1.1 200 OK\r\nContent-Length:2\r\nContent-Length: 2 \r\n\r\nhi", 200, "hi"),
    ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"),
    ("HTTP/1.1 200 OK\r\n\r\nuntil the end", 200, "until the end"),
    ("HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n", 304, ""),
    ("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", 204, ""),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"
        + "2;a=b\r\nhi\r\n0\r\n\r\n", 200, "hi"
    ),
  ])
  func `a valid response is read completely`(
    _ text: String, _ status: Int, _ content: String
  ) async throws {
    let world = try CurlWorld(.raw(text) + [.close])
    let answer = try await world.answer()
    #expect(answer.status == status)
    #expect(answer.text == content)
  }

  @Test func `a response sent in single bytes is read correctly`() async throws {
    let text =
      "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\n  2\r\nA: 3\r\n"
      + "Set-Cookie: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n"
    let world = try CurlWorld(OriginScript.raw(text).split(into: 1))
    let answer = try await world.answer()
    #expect(answer.text == "abcde")
    #expect(answer.fields[values: "A"] == ["1 2", "3"])
    #expect(answer.exchange.body.trailerFields == ["T": "v"])
    #expect(answer.exchange.informationalResponses.map(\.status.code) == [103])
    #expect(answer.exchange.informationalResponses.first?.headerFields == ["Link": "a"])
  }

  @Test func `a reset inside the body is thrown after the preceding bytes`() async throws {
    let world = try CurlWorld(
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .pause(.milliseconds(50)), .reset])
    let exchange = try await world.transport.send(world.request())
    var body = exchange.body.makeAsyncIterator()
    #expect(try await body.next() == Array("abc".utf8))
    let error = await #expect(throws: TransportError.self) { try await body.next() }
    #expect(error?.kind == .connectionReset)
    #expect(error?.phase == .receivingBody)
    #expect(error?.isRetrySafe == true)
  }

  @Test func `a reset before the head differs from an empty reply`() async throws {
    let world = try CurlWorld([.readBody, .reset])
    let error = try await world.failure(.post, body: .text("x"))
    #expect(error.kind == .connectionReset)
    #expect(error.phase == .awaitingHead)
    #expect(error.bytesSent)
    #expect(!error.isRetrySafe)
  }

  @Test func `the response to HEAD has no body, whatever its Content-Length`() async throws {
    let world = try CurlWorld(.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"))
    let answer = try await world.answer(.head)
    #expect(answer.fields[.contentLength] == "5")
    #expect(answer.text.isEmpty)
    try await world.answer(.head)
    #expect(world.log.connectionCount == 1)
  }

  @Test func `the size and the number of fields are limited`() async throws {
    for (text, options) in [
      ("A: \(String(repeating: "x", count: 400))\r\n", HTTPHeadLimits(bytes: 300)),
      (String(repeating: "A: b\r\n", count: 9), HTTPHeadLimits(fields: 8)),
      ("A: \(String(repeating: "x", count: 200_000))\r\n", HTTPHeadLimits()),
    ] {
      let world = try CurlWorld(.raw("HTTP/1.1 200 OK\r\n\(text)\r\n") + [.stall])
      var limits = TransportOptions()
      limits.headLimits = options
      #expect(try await world.failure(options: limits).kind == .headTooLarge)
      try await world.log.first { $0.kind.isEndByPeer }
    }
  }

  @Test func `the number of interim responses is limited`() async throws {
    let world = try CurlWorld(
      [.sendRepeatedly(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), count: nil)])
    #expect(try await world.failure().kind == .tooManyInformational)
    try await world.log.first { $0.kind.isEndByPeer }
  }

  @Test func `an encoded body is not decoded`() async throws {
    let world = try CurlWorld(
      .respond(headerFields: [.contentEncoding: "gzip"], text: "not gzip at all"))
    #expect(try await world.answer().text == "not gzip at all")
    #expect(world.log.requests.first?.head.headerFields.contains(.acceptEncoding) == false)
  }

  @Test func `a redirect is not followed`() async throws {
    let world = try CurlWorld(.redirect(to: "file:///etc/passwd"))
    let answer = try await world.answer()
    #expect(answer.status == 302)
    #expect(answer.fields[.location] == "file:///etc/passwd")
    #expect(world.log.requests.count == 1)
  }

  @Test func `bytes after the length never become part of the next response`() async throws {
    let world = try CurlWorld(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\nevil"),
      .respond(text: "good"))
    #expect(try await world.answer().text == "hi")
    #expect(try await world.answer().text == "good")
    #expect(world.log.connectionCount == 2)
  }

  @Test func `late bytes after the length never become part of the next response`() async throws {
    let world = try CurlWorld(
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        + [.pause(.milliseconds(30)), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")],
      .respond(text: "good"))
    #expect(try await world.answer().text == "hi")
    try await world.log.first { $0.kind == .sent(82) }
    #expect(try await world.answer().text == "good")
  }

  @Test func `a response with both framings closes the connection`() async throws {
    let world = try CurlWorld(
      .raw(
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\nhi\r\n0\r\n\r\n"),
      .respond(text: "next"))
    #expect(try await world.answer().text == "hi")
    #expect(try await world.answer().text == "next")
    #expect(world.log.connectionCount == 2)
  }
}
