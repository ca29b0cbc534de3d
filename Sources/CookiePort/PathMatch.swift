/// Which request paths a cookie's path covers (RFC 6265bis §5.1.4).
package enum PathMatch {
  /// Whether the request's path is the cookie's or stands below it, by octets.
  package static func matches(request: String, cookie: String) -> Bool {
    let request = request.utf8
    let cookie = cookie.utf8
    guard request.count >= cookie.count else { return false }
    let rest = request.dropFirst(cookie.count)
    guard request[..<rest.startIndex].elementsEqual(cookie) else { return false }
    return rest.isEmpty || cookie.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
  }

  /// The path of a cookie that names none: the request's up to, but without, its last `/`.
  package static func defaultPath(request: String) -> String {
    let octets = request.utf8
    guard octets.first == UInt8(ascii: "/"),
      let slash = octets.lastIndex(of: UInt8(ascii: "/")), slash != octets.startIndex
    else { return "/" }
    return String(request[..<slash])
  }
}
