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
    // The second is that of libcurl 8.2 and newer.
    number(in: line, after: "Using Stream ID: ", before: " (easy handle ")
      ?? number(in: line, after: "[HTTP/2] [", before: "] OPENED stream for ")
  }

  /// Bytes, because a string of each line of the trace would cost more than the rest of what a line costs.
  private static func number(
    in line: UnsafeRawBufferPointer, after prefix: StaticString, before suffix: StaticString
  ) -> Int? {
    guard line.starts(with: prefix) else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: line.dropFirst(prefix.utf8CodeUnitCount))
    // A stream's number has 31 bits.
    let digits = rest.prefix(10).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty,
      UnsafeRawBufferPointer(rebasing: rest.dropFirst(digits.count)).starts(with: suffix)
    else { return nil }
    return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
  }
}
