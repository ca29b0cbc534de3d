/// Matches request paths against cookie paths (RFC 6265bis §5.1.4).
package enum PathMatch {
  /// Whether the request's path equals the cookie's path or is below it, compared byte by byte.
  package static func matches(request: String, cookie: String) -> Bool {
    let covers = request.utf8.withContiguousStorageIfAvailable { request in
      cookie.utf8.withContiguousStorageIfAvailable { matches(request: request, cookie: $0) }
    }
    // not mutated: a faster way to the same result
    return (covers ?? nil) ?? matches(request: Array(request.utf8), cookie: Array(cookie.utf8))
  }

  private static func matches(
    request: some RandomAccessCollection<UInt8>, cookie: some RandomAccessCollection<UInt8>
  ) -> Bool {
    guard request.starts(with: cookie) else { return false }
    return request.count == cookie.count || cookie.last == UInt8(ascii: "/")
      || request.dropFirst(cookie.count).first == UInt8(ascii: "/")
  }

  /// Returns the path of a cookie without `Path`: the request's path up to but without its last
  /// `/`.
  package static func defaultPath(request: String) -> String {
    let bytes = request.utf8
    guard bytes.first == UInt8(ascii: "/"),
      let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash != bytes.startIndex
    else { return "/" }
    return String(request[..<slash])
  }
}
