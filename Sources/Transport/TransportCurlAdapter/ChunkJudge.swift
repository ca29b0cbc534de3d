import TransportPort

/// Checks the chunked framing of a response by the port's own rules.
///
/// libcurl is lenient: it takes `0x3` for the last chunk and passes over what follows a size. So
/// what it read is read once more, by the parser that the port has for responses.
struct ChunkJudge {
  private var parser: HTTPResponseParser
  private var events: [HTTPResponseParser.Event] = []

  /// The trailer fields, once the body was read to its end.
  private(set) var trailers: HTTPFields = [:]

  /// A judge of a body whose head was read.
  init(limits: HTTPHeadLimits) throws(TransportError) {
    parser = HTTPResponseParser(method: .get, limits: limits)
    try consume(Array("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
  }

  /// Whether the body was read to its end.
  var isComplete: Bool { parser.isComplete }

  /// Whether bytes came after that end.
  var hasSurplus: Bool { parser.isComplete && !parser.isReusable }

  /// The content that was in the bytes that were taken last.
  var content: [UInt8] {
    events.reduce(into: []) { if case .body(let bytes) = $1 { $0 += bytes } }
  }

  /// Takes the next bytes as they came.
  mutating func consume(_ bytes: [UInt8]) throws(TransportError) {
    events.removeAll(keepingCapacity: true)
    try parser.consume(bytes, into: &events)
    if case .end(let fields) = events.last { trailers = fields }
  }
}
