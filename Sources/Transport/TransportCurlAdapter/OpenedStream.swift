/// The number of the HTTP/2 stream that libcurl opens for a request, which only its trace reports.
enum OpenedStream {
  /// Parses a line of the trace; `nil` for all other lines.
  ///
  /// The text of the trace is not stable. If a new libcurl phrases the line differently, fewer failures
  /// are known to be safe to retry, and no content without a length is known to be complete.
  ///
  /// libcurl 8.2 and newer also traces the request's fields, whose text the caller chooses:
  /// `[HTTP/2] [1] [name: OPENED stream for]`. The pattern is therefore matched from the first byte of
  /// the line, so that no field can forge one.
  ///
  /// Source: lib/http2.c of libcurl 7.81 to 8.23.
  static func number(in line: UnsafeRawBufferPointer) -> Int? {
    // Most lines report something else; the first byte rules them out without creating a string.
    guard let first = line.first, first == UInt8(ascii: "U") || first == UInt8(ascii: "[") else {
      return nil
    }
    var text = Substring(decoding: line.prefix(200), as: UTF8.self)
    if text.skip("Using Stream ID: ") { return text.takeNumber(before: " (easy handle ") }
    // libcurl 8.2 and newer.
    return text.skip("[HTTP/2] [") ? text.takeNumber(before: "] OPENED stream for ") : nil
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

  /// Removes decimal digits from the start; `nil` if there are none, or if other text follows.
  fileprivate mutating func takeNumber(before text: String) -> Int? {
    let digits = prefix { $0.isASCII && $0.isWholeNumber }
    removeFirst(digits.count)
    return hasPrefix(text) ? Int(digits) : nil
  }
}
