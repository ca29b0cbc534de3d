import Foundation
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPResponse {
  /// Creates a head from the response of a session, checked by the port's parser.
  ///
  /// A session stores fields in a dictionary, so they are sorted by name and have one line per
  /// name.
  ///
  /// - Throws: `TransportError` if the head is invalid by the rules of the port.
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

  /// Whether the session has decoded the content, which it does for these encodings unasked.
  var isDecoded: Bool { isEncoded && encodings.allSatisfy(Self.decoded.contains) }

  /// Whether the content has an encoding, so that the session may deliver another number of bytes
  /// than Content-Length says.
  var isEncoded: Bool { !encodings.isEmpty }

  private var encodings: [String] {
    headerFields.list(.contentEncoding).filter { $0 != "identity" }
  }

  /// The encodings that a session decodes.
  ///
  /// FoundationNetworking passes content to libcurl, which fails on an encoding that it lacks.
  private static let decoded: Set<String> = {
    #if canImport(FoundationNetworking)
      ["gzip", "x-gzip", "deflate", "br", "zstd"]
    #else
      ["gzip", "x-gzip", "deflate", "br"]
    #endif
  }()
}
