/// Matches request paths against cookie paths (RFC 6265bis §5.1.4).
package enum PathMatch {
  /// Whether the request's path equals the cookie's path or is below it, compared byte by byte.
  package static func matches(request: String, cookie: String) -> Bool {
    request.withBytes { request in cookie.withBytes { matches(request: request, cookie: $0) } }
  }

  private static func matches(request: Bytes, cookie: Bytes) -> Bool {
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
