import Foundation
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPResponse {
  /// The head that a session hands out, checked by the port's own parser.
  ///
  /// A session keeps fields in a dictionary: they come in the order of their names, one line each.
  ///
  /// - Throws: ``TransportError`` where the port would not take such a head.
  init(_ response: URLResponse, limits: HTTPHeadLimits) throws(TransportError) {
    let response = response as? HTTPURLResponse
    var parser = HTTPHeadParser(limits: limits)
    var head = try parser.consume(
      line: Array("HTTP/1.1 \(response?.statusCode ?? 0)\r\n".utf8)[...])
    let fields = (response?.allHeaderFields ?? [:]).map { ("\($0.key)", "\($0.value)") }
    for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) {
      head = try parser.consume(line: Array("\(name): \(value)\r\n".utf8)[...])
    }
    head = try parser.consume(line: [0x0D, 0x0A])
    self = head ?? HTTPResponse(status: Status(code: 0))
  }

  /// Whether a session undoes the content's codings, asked or not.
  var isDecoded: Bool {
    let codings = headerFields.list(.contentEncoding)
    return !codings.isEmpty
      && codings.allSatisfy { ["gzip", "x-gzip", "deflate", "br"].contains($0) }
  }
}
