import TransportPort

/// Checks the chunked framing of a response by the rules of the port.
///
/// libcurl is lenient: it takes the size `0x3` for the last chunk and ignores text after a size. So
/// the raw bytes are parsed a second time, with the port's parser.
struct ChunkedBodyValidator {
  private var parser: HTTPResponseParser
  private var events: [HTTPResponseParser.Event] = []

  /// The trailer fields, once the body is complete.
  private(set) var trailers: HTTPFields = [:]

  /// Creates a validator for a body whose head was received.
  init(limits: HTTPHeadLimits) throws(TransportError) {
    parser = HTTPResponseParser(method: .get, limits: limits)
    try consume(Array("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
  }

  /// Whether the last chunk and the trailers were received.
  var isComplete: Bool { parser.isComplete }

  /// Whether bytes followed the end of the body.
  var hasSurplus: Bool { parser.isComplete && !parser.isReusable }

  /// The content in the bytes of the last call of ``consume(_:)``.
  var content: [UInt8] {
    events.reduce(into: []) { if case .body(let bytes) = $1 { $0 += bytes } }
  }

  /// Validates the next bytes as received, before libcurl removes the chunk framing.
  mutating func consume(_ bytes: [UInt8]) throws(TransportError) {
    events = []
    try parser.consume(bytes, into: &events)
    if case .end(let fields) = events.last { trailers = fields }
  }
}
