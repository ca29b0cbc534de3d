import SeededRandom
import Testing
import TransportPort

@Suite struct HTTPResponseParserTests {
  /// The result of parsing a stream of bytes, with the body joined.
  struct Reading: Equatable, CustomStringConvertible {
    var informational: [Int] = []
    var status: Int?
    var reason = ""
    var fields: [String] = []
    var body: [UInt8] = []
    var trailers: [String]?
    var error: TransportError.Kind?
    var phase: TransportError.Phase?
    var isReusable = false

    var description: String {
      """
      1xx \(informational), status \(status ?? 0) \(reason.debugDescription), fields \(fields), \
      body \(body.text.debugDescription), trailers \(trailers ?? []), \
      error \(error.map { "\($0)" } ?? "none"), reusable \(isReusable)
      """
    }
  }

  static func read(
    _ pieces: [[UInt8]], method: HTTPRequest.Method = .get,
    ending: HTTPResponseParser.Ending? = nil, limits: HTTPHeadLimits = HTTPHeadLimits()
  ) -> Reading {
    var parser = HTTPResponseParser(method: method, limits: limits)
    var events: [HTTPResponseParser.Event] = []
    var reading = Reading()
    do throws(TransportError) {
      for piece in pieces { try parser.consume(piece, into: &events) }
      if let ending { try parser.finish(ending, into: &events) }
    } catch {
      reading.error = error.kind
      reading.phase = error.phase
    }
    for event in events {
      switch event {
      case .informational(let response): reading.informational.append(response.status.code)
      case .head(let response):
        reading.status = response.status.code
        reading.reason = response.status.reasonPhrase
        reading.fields = response.headerFields.map(\.description)
      case .body(let bytes):
        #expect(!bytes.isEmpty)
        reading.body += bytes
      case .end(let trailers): reading.trailers = trailers.map(\.description)
      }
    }
    reading.isReusable = parser.isReusable
    return reading
  }

  static func read(
    _ text: String, method: HTTPRequest.Method = .get, ending: HTTPResponseParser.Ending? = nil,
    limits: HTTPHeadLimits = HTTPHeadLimits()
  ) -> Reading {
    read([Array(text.utf8)], method: method, ending: ending, limits: limits)
  }

  // MARK: Heads

  @Test(arguments: [
    ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.1 200 ", 200, ""), ("HTTP/1.1 200", 200, ""),
    ("HTTP/1.0 404 Not Found", 404, "Not Found"), ("HTTP/1.1 999 \tx", 999, "\tx"),
    ("HTTP/1.1 100200", nil, ""),
    ("HTTP/1.2 200 OK", 200, "OK"),
    ("HTTP/1.9 204", 204, ""),
    ("HTTP/1.1 200 Bücher", 200, "Bücher"),
  ])
  func `status lines`(line: String, code: Int?, reason: String) {
    let reading = Self.read("\(line)\r\nContent-Length: 0\r\n\r\n")
    #expect(reading.status == code)
    #expect(reading.reason == reason)
    #expect((reading.error == nil) == (code != nil))
  }

  @Test(arguments: [
    "HTTP/0.9 200 OK", "HTTP/1. 200 OK", "HTTP/1.-1 200 OK", "Http/1.1 200 OK", "http/1.1 200 OK",
    "HTTP/2.0 200 OK", "HTTP/2 200", "HTTP/1.11 200 OK",
    "HTTP/1 200 OK", "HTTP/1.x 200 OK", "HTTP/1.1  200 OK", " HTTP/1.1 200 OK", "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 099 OK", "HTTP/1.1 000",
    "HTTP/1.1 200OK", "HTTP/1.1\t200 OK", "HTTP/1.1", "HTTP/1.1 ", "", "SSH-2.0-OpenSSH", "<html>",
    "ICY 200 OK", "HTTP/1.1 200 a\u{7}b", "HTTP/1.1 200 a\0b", "HTTP/1.1 200 a\rb",
    "HTTP/1.1 101 Switching Protocols", "\u{FEFF}HTTP/1.1 200 OK",
  ])
  func `invalid status lines`(line: String) {
    let reading = Self.read("\(line)\r\nContent-Length: 0\r\n\r\n")
    #expect(reading.error == .malformedHead)
    #expect(reading.status == nil)
    #expect(reading.phase == .awaitingHead)
  }

  @Test func `garbage without a line end is rejected at once`() {
    #expect(Self.read("SSH").error == .malformedHead)
    #expect(Self.read(String(repeating: "A", count: 70_000)).error == .malformedHead)
    #expect(Self.read(String(repeating: "A", count: 70_000) + "\n").error == .malformedHead)
    #expect(Self.read("HTTP/1").error == nil)
    #expect(Self.read("\u{16}\u{3}\u{1}").error == .malformedHead)
  }

  @Test(arguments: [
    ("A:b", ["A: b"]), ("A:  \t b\t ", ["A: b"]), ("A:", ["A: "]), ("A: ", ["A: "]),
    ("A: b:c", ["A: b:c"]), ("A: 1\r\na: 2\r\nB: 3", ["A: 1", "a: 2", "B: 3"]),
    ("A: b\r\n c\r\n\t d", ["A: b c d"]), ("A:\r\n b", ["A: b"]), ("A: b\r\n ", ["A: b"]),
    ("A: b\nC: d", ["A: b", "C: d"]), ("A: x\ty", ["A: x\ty"]),
    ("Set-Cookie: a=1\r\nSet-Cookie: b=2", ["Set-Cookie: a=1", "Set-Cookie: b=2"]),
  ])
  func `field lines`(lines: String, fields: [String]) {
    let reading = Self.read("HTTP/1.1 204 \r\n\(lines)\r\n\r\n")
    #expect(reading.fields == fields)
    #expect(reading.error == nil)
  }

  @Test(arguments: [
    "no colon", ": no name", "A : b", "A\t: b", "A b: c", "A: b\0", "A\0: b", "A: b\rc", "A: b\r",
    " A: b", "\tA: b", "Ä: b", "A(: b", "A: b\r\r", "A",
  ])
  func `invalid field lines`(lines: String) {
    let reading = Self.read("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n")
    #expect(reading.error == .malformedHead)
    #expect(reading.status == nil)
  }

  // MARK: Framing

  @Test(arguments: [
    ("5", nil), ("5\r\nContent-Length: 5", nil), ("5, 5", nil), ("005", nil), ("5,5,5", nil),
    ("5\r\nContent-Length: 6", TransportError.Kind.conflictingLength),
    ("5, 6", .conflictingLength), ("-5", .invalidLength), ("+5", .invalidLength),
    ("abc", .invalidLength), ("5x", .invalidLength), ("", .invalidLength), ("5,", .invalidLength),
    ("0x5", .invalidLength), ("5 5", .invalidLength), ("99999999999999999999", .invalidLength),
    ("5.0", .invalidLength), ("٥", .invalidLength),
  ])
  func `Content-Length values`(value: String, error: TransportError.Kind?) {
    let reading = Self.read("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
    #expect(reading.error == error)
    #expect(reading.body.text == (error == nil ? "hello" : ""))
    #expect((reading.status == 200) == (error == nil))
  }

  @Test(arguments: [
    ("5\r\nhello\r\n0\r\n\r\n", "hello", []), ("0\r\n\r\n", "", []),
    ("2;a=b\r\nhe\r\n3 ; c\r\nllo\r\n0;x\r\n\r\n", "hello", []),
    ("5\r\nhello\r\n0\r\nX: y\r\nZ:w\r\n\r\n", "hello", ["X: y", "Z: w"]),
    ("00000000000000a\r\n0123456789\r\n000\r\n\r\n", "0123456789", []),
    ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", []),
    ("5;q=\"a;b\"\r\nhello\r\n0\r\n\r\n", "hello", []), ("5 \r\nhello\r\n0\r\n\r\n", "hello", []),
  ])
  func `chunked bodies`(coded: String, body: String, trailers: [String]) {
    let reading = Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n\(coded)")
    #expect(reading.body.text == body)
    #expect(reading.trailers == trailers)
    #expect(reading.error == nil)
    #expect(reading.isReusable)
  }

  @Test(arguments: [
    "x\r\n", "\r\n", "-5\r\nhello", "+5\r\nhello", "0x5\r\nhello", " 5\r\nhello", "5x\r\nhello",
    "5\nhello", "5\r\nhelloX", "5\r\nhello\rX", "5\r\nhello\n", "5\r\nhello0\r\n\r\n",
    "0000000000000005\r\nhello", "ffffffffffffffff\r\n", "fffffffffffffffffffff\r\n",
    "5;\0\r\nhello", ";\r\n", "５\r\nhello",
    "0\r\nX: a\rb", "0\r\nno colon\r\n\r\n", "0\r\n : x\r\n\r\n", "5 5\r\nhello",
    "1;" + String(repeating: "x", count: 5000),
  ])
  func `invalid chunks are rejected`(coded: String) {
    let reading = Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(coded)")
    #expect(reading.error == .badChunk)
    #expect(reading.status == 200)
    #expect(reading.phase == .receivingBody)
    #expect(reading.trailers == nil)
  }

  @Test(arguments: ["gzip, chunked", "chunked, chunked", "gzip", "", "xchunked", "chunked, x"])
  func `other transfer codings are rejected`(coding: String) {
    let reading = Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n")
    #expect(reading.error == .unsupportedTransferCoding)
  }

  // MARK: End of the connection

  @Test(arguments: [
    ("", TransportError.Kind.emptyReply), ("H", .emptyReply), ("HTTP/1.1 200 OK", .emptyReply),
    ("HTTP/1.1 103 \r\n\r\nH", .truncatedHead),
    ("HTTP/1.1 200 OK\r\n", .truncatedHead),
    ("HTTP/1.1 200 OK\r\nContent-Le", .truncatedHead),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", .truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n", .truncatedBody),
  ])
  func `an early end is never a success`(text: String, error: TransportError.Kind) {
    for ending in [HTTPResponseParser.Ending.orderly, .unannounced] {
      let reading = Self.read(text, ending: ending)
      #expect(reading.error == error)
      #expect(reading.trailers == nil)
      #expect(!reading.isReusable)
    }
    #expect(Self.read(text, ending: .reset).error == .connectionReset)
  }

  @Test func `a complete response stays complete however the connection ends`() {
    for ending in [HTTPResponseParser.Ending.orderly, .unannounced, .reset] {
      let reading = Self.read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", ending: ending)
      #expect(reading.body.text == "hi")
      #expect(reading.error == nil)
      #expect(!reading.isReusable)
      let chunked = Self.read(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n",
        ending: ending)
      #expect(chunked.trailers == ["X: y"])
    }
  }

  // MARK: Splits

  static let corpus: [String] = [
    "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 11\r\n\r\nhello worldEXTRA",
    "HTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nX: y\r\n z\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nworldX\r\n",
    "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", "HTTP/1.0 200\r\n\r\nuntil the end",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nBroken\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "SSH-2.0\r\n",
    "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", "HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad\r\n\r\n",
  ]

  @Test(arguments: corpus)
  func `the result does not depend on the split of the bytes`(text: String) {
    var generator = SplitMix64(seed: 7)
    let bytes = Array(text.utf8)
    for ending in [HTTPResponseParser.Ending.orderly, .unannounced, .reset] {
      let whole = Self.read([bytes], ending: ending)
      #expect(Self.read(bytes.map { [$0] }, ending: ending) == whole)
      for _ in 0..<50 {
        #expect(Self.read(bytes.split(using: &generator), ending: ending) == whole)
      }
    }
  }

  @Test func `mutated responses neither trap nor depend on the split`() {
    var generator = SplitMix64(seed: 42)
    let alphabet = Array("\r\n\0 :;,0159afHx\t-".utf8) + [0xE9, 0xFF]
    let limits = HTTPHeadLimits(bytes: 120, fields: 4, informational: 2)
    for round in 0..<4000 {
      var bytes = Array(Self.corpus[round % Self.corpus.count].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        case 1: bytes.remove(at: place)
        default:
          bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)], at: place)
        }
      }
      let whole = Self.read([bytes], ending: .orderly, limits: limits)
      let split = Self.read(bytes.split(using: &generator), ending: .orderly, limits: limits)
      #expect(split == whole, "\(bytes.text.debugDescription)")
      #expect((whole.error == nil) == (whole.trailers != nil))
    }
  }

  @Test func `an HTTP/2 status line begins a head`() throws {
    var parser = HTTPHeadParser(allowsMultiplexed: true)
    #expect(try parser.consume(line: Array("HTTP/2 200 \r\n".utf8)[...]) == nil)
    #expect(parser.version == .multiplexed)
    #expect(try parser.consume(line: [0x0D, 0x0A])?.status.code == 200)
  }

  // MARK: Errors

  @Test(
    arguments: [
      ("", .orderly, "the connection ended before the status line was complete"),
      ("HTTP/1.1 200", .unannounced, "the connection ended before the status line was complete"),
      ("HTTP/1.1 200 OK\r\n", .orderly, "the connection ended inside the head of the response"),
      ("HTTP/1.1 103 \r\n\r\n", .orderly, "the connection ended inside the head of the response"),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", .orderly,
        "the connection ended inside the body of the response"
      ),
      (
        "HTTP/1.1 200 OK\r\n\r\nh", .unannounced,
        "the connection ended without close_notify, so the body may be truncated"
      ),
      ("HTTP/1.1 200 OK\r\n", .reset, "the connection was reset"),
    ] as [(String, HTTPResponseParser.Ending, String)])
  func `an incomplete response says where it ended`(
    text: String, ending: HTTPResponseParser.Ending, detail: String
  ) throws {
    var parser = HTTPResponseParser(method: .get)
    var events: [HTTPResponseParser.Event] = []
    try parser.consume(Array(text.utf8), into: &events)
    #expect(!parser.isReusable)
    let error = #expect(throws: TransportError.self) { try parser.finish(ending, into: &events) }
    #expect(error?.detail == detail)
  }

  @Test(arguments: [
    ("", "HTTP/1.1 "), ("HTTP/1.1 200 OK\r\n", ""),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ""),
  ])
  func `of a long line an error shows the first 80 bytes`(before: String, start: String) {
    let line = start + String(repeating: "x", count: 200)
    var parser = HTTPResponseParser(method: .get)
    var events: [HTTPResponseParser.Event] = []
    let error = #expect(throws: TransportError.self) {
      try parser.consume(Array("\(before)\(line)\r\n".utf8), into: &events)
    }
    #expect(error?.detail.hasSuffix(": \"\(line.prefix(80))\"") == true)
  }

  @Test func `a line may be as long as the limit before its end arrives`() {
    let limits = HTTPHeadLimits(bytes: 20)
    #expect(Self.read("HTTP/1.1 200 OK and ", limits: limits).error == nil)
    #expect(Self.read("HTTP/1.1 200 OK and m", limits: limits).error == .headTooLarge)
  }

  @Test(arguments: ["5;a\n12345", "55\n", "\n", "5 \n"])
  func `a chunk size ends in CR LF`(chunk: String) {
    let reading = Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)")
    #expect(reading.error == .badChunk)
  }

  // MARK: Lines

  @Test func `lines of a head may lack their end, and have none inside`() throws {
    var parser = HTTPHeadParser()
    #expect(try parser.consume(line: Array("HTTP/1.1 200 OK".utf8)[...]) == nil)
    #expect(try parser.consume(line: Array("Host: a".utf8)[...]) == nil)
    #expect(throws: TransportError.self) {
      var parser = parser
      _ = try parser.consume(line: Array("A: b\nC: d\r\n".utf8)[...])
    }
    #expect(try parser.consume(line: [])?.headerFields == ["Host": "a"])
  }

  @Test(arguments: ["HTTP/2", "HTTP/2.0", "HTTP/3", "HTTP/4", "HTTP/1.a", "HTTP/1."])
  func `other versions than 1 are known only where they are allowed`(version: String) {
    for isAllowed in [true, false] {
      var parser = HTTPHeadParser(allowsMultiplexed: isAllowed)
      _ = try? parser.consume(line: Array("\(version) 200 \r\n".utf8)[...])
      let isKnown = ["HTTP/2", "HTTP/2.0", "HTTP/3"].contains(version)
      #expect(parser.version == (isAllowed && isKnown ? .multiplexed : nil))
    }
  }

  // MARK: Framing

  @Test(arguments: [100, 103, 199, 204, 304])
  func `a head without content has no framing`(status: Int) throws {
    let head = HTTPResponse(
      status: .init(code: status), headerFields: ["Content-Length": "5"])
    #expect(try HTTPBodyFraming(of: head, to: .get) == .none)
  }

  @Test func `a body that ends with the connection does not keep it`() {
    let head = HTTPResponse(status: .init(code: 200), headerFields: [:])
    #expect(!HTTPBodyFraming.untilClose.keepsConnectionAlive(after: head, version: .http11))
    #expect(HTTPBodyFraming.length(1).keepsConnectionAlive(after: head, version: .http11))
  }
}
