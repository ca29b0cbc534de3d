/// An HTTP/2 event that libcurl reports only in its trace.
///
/// The text of the trace is not stable. A line that a new libcurl phrases differently is ignored;
/// then fewer failures are known to be safe to retry, and nothing else changes.
enum HTTP2Notice: Equatable {
  /// libcurl opened a stream for the request.
  case opened(stream: Int)
  /// The server processes no stream after this one (RFC 9113 §6.8).
  case goAway(lastStream: Int)
  /// The server refused the stream before processing it (RFC 9113 §8.7).
  case refused

  /// Parses a line of the trace; `nil` for all other lines.
  ///
  /// Sources: lib/http2.c of libcurl, `Using Stream ID: 3 (easy handle 0x1)` up to 7.88 and
  /// `[HTTP/2] [3] OPENED stream for https://host/` since 8.2; `received GOAWAY, error=0,
  /// last_stream=1`; `REFUSED_STREAM, retrying a fresh connect`.
  init?(_ line: UnsafeRawBufferPointer) {
    // Most lines report something else; the first byte rules them out without creating a string.
    switch line.first {
    case UInt8(ascii: "U"), UInt8(ascii: "["), UInt8(ascii: "r"), UInt8(ascii: "R"): break
    default: return nil
    }
    let text = String(decoding: line.prefix(200), as: UTF8.self)
    if let stream = Self.number(after: "Using Stream ID: ", in: text) {
      self = .opened(stream: stream)
    } else if text.contains("OPENED stream"),
      let stream = Self.number(after: "[HTTP/2] [", in: text)
    {
      self = .opened(stream: stream)
    } else if text.contains("GOAWAY"), let stream = Self.number(after: "last_stream=", in: text) {
      self = .goAway(lastStream: stream)
    } else if text.hasPrefix("REFUSED_STREAM") {
      self = .refused
    } else {
      return nil
    }
  }

  private static func number(after prefix: String, in text: String) -> Int? {
    guard let range = text.firstRange(of: prefix) else { return nil }
    return Int(text[range.upperBound...].prefix { $0.isNumber })
  }
}
