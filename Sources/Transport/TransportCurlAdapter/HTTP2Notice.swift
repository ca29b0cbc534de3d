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
  /// libcurl 8.2 and newer also traces the request's fields, whose text the caller chooses:
  /// `[HTTP/2] [1] [name: GOAWAY, last_stream=0]`. Patterns are therefore matched from the first
  /// byte of the line, so that no field can forge an event.
  ///
  /// Sources: lib/http2.c and lib/transfer.c of libcurl 7.81 to 8.14. Version 7.81 does not trace
  /// GOAWAY, and writes the stream in hexadecimal digits.
  init?(_ line: UnsafeRawBufferPointer) {
    // Most lines report something else; the first byte rules them out without creating a string.
    switch line.first {
    case UInt8(ascii: "U"), UInt8(ascii: "["), UInt8(ascii: "r"), UInt8(ascii: "R"): break
    default: return nil
    }
    // not mutated: the patterns are much shorter
    var text = Substring(decoding: line.prefix(200), as: UTF8.self)
    if text.skip("Using Stream ID: ") {
      guard let stream = text.takeNumber(), text.skip(" (easy handle ") else { return nil }
      self = .opened(stream: stream)
    } else if text.skip("[HTTP/2] [") {
      // not mutated: libcurl 8.2 and newer
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
  /// Removes a prefix.
  ///
  /// - Returns: Whether the text had the prefix; if not, nothing is removed.
  fileprivate mutating func skip(_ prefix: String) -> Bool {
    guard hasPrefix(prefix) else { return false }
    removeFirst(prefix.count)
    return true
  }

  /// Removes decimal digits from the start; `nil` if there are none.
  fileprivate mutating func takeNumber() -> Int? {
    let digits = prefix { $0.isASCII && $0.isWholeNumber }
    removeFirst(digits.count)
    return Int(digits)
  }
}
