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
  /// libcurl 8.2 and newer also traces the request, whose fields hold what the caller chose:
  /// `[HTTP/2] [1] [name: GOAWAY, last_stream=0]`. So a line counts only if it has one of these forms
  /// from its first byte on, and a field can't forge one.
  ///
  /// Sources: lib/http2.c and lib/transfer.c of libcurl 7.81 to 8.14. GOAWAY is not traced by 7.81,
  /// which also writes the stream in hexadecimal digits.
  init?(_ line: UnsafeRawBufferPointer) {
    // Most lines are about something else; decoding them as UTF-8 would cost time.
    switch line.first {
    case UInt8(ascii: "U"), UInt8(ascii: "["), UInt8(ascii: "r"), UInt8(ascii: "R"): break
    default: return nil
    }
    var text = Substring(decoding: line.prefix(200), as: UTF8.self)
    if text.skip("Using Stream ID: ") {
      guard let stream = text.takeNumber(), text.skip(" (easy handle ") else { return nil }
      self = .opened(stream: stream)
    } else if text.skip("[HTTP/2] [") {
      guard let stream = text.takeNumber(), text.skip("] OPENED stream for ") else { return nil }
      self = .opened(stream: stream)
    } else if text.skip("received GOAWAY, error=") || text.skip("recveived GOAWAY, error=") {
      guard text.takeNumber() != nil, text.skip(", last_stream="),
        let stream = text.takeNumber(), text.allSatisfy(\.isNewline)
      else { return nil }
      self = .goAway(lastStream: stream)
    } else if text.skip("REFUSED_STREAM, retrying a fresh connect"),
      text.allSatisfy(\.isNewline)
    {
      self = .refused
    } else {
      return nil
    }
  }
}

extension Substring {
  /// Removes a text from the start.
  ///
  /// - Returns: Whether it was there; if not, nothing is removed.
  fileprivate mutating func skip(_ text: String) -> Bool {
    guard hasPrefix(text) else { return false }
    removeFirst(text.count)
    return true
  }

  /// Removes decimal digits from the start; `nil` if there are none.
  fileprivate mutating func takeNumber() -> Int? {
    let digits = prefix { $0.isASCII && $0.isWholeNumber }
    removeFirst(digits.count)
    return Int(digits)
  }
}
