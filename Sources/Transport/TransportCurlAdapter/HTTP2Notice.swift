/// What libcurl tells of HTTP/2 in its trace, and nowhere else.
///
/// A line that is not known means that less is known of what a retry may do, and nothing worse.
enum HTTP2Notice: Equatable {
  /// The request has a stream of its own.
  case opened(stream: Int)
  /// The server takes no stream after this one (RFC 9113 §6.8).
  case goAway(lastStream: Int)
  /// The server has refused the stream before it did anything (RFC 9113 §8.7).
  case refused

  /// What a line of the trace says; `nil` for all other lines.
  ///
  /// Sources: lib/http2.c of libcurl, `Using Stream ID: 3 (easy handle 0x1)` up to 7.88 and
  /// `[HTTP/2] [3] OPENED stream for https://host/` since 8.2; `received GOAWAY, error=0,
  /// last_stream=1`; `REFUSED_STREAM, retrying a fresh connect`.
  init?(_ line: UnsafeRawBufferPointer) {
    // Nearly all lines are about something else, and are not to be made text of.
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

  private static func number(after mark: String, in text: String) -> Int? {
    guard let place = text.firstRange(of: mark) else { return nil }
    return Int(text[place.upperBound...].prefix { $0.isNumber })
  }
}
