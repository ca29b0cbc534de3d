import Foundation
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Creates a request for a session. The caller sets the stream of a streamed body.
  ///
  /// - Throws: `TransportError` if a session cannot send the request.
  init(_ wire: WireRequest, body: HTTPRequestBody) throws(TransportError) {
    guard let url = URL(string: wire.url, encodingInvalidCharacters: false) else {
      throw wire.error(
        .invalidRequest(.url), phase: .preparing, bytesSent: false,
        detail: "Foundation rejects the URL \(wire.url.debugDescription); percent-encode it")
    }
    guard !body.hasTrailers else {
      throw wire.error(
        .other, phase: .preparing, bytesSent: false, detail: "URLSession cannot send trailer fields"
      )
    }
    guard wire.method != .get || body.isNone || body.bytes == [] else {
      throw wire.error(
        .invalidRequest(.body), phase: .preparing, bytesSent: false,
        detail: "URLSession cannot send a body with GET")
    }
    self.init(url: url)
    httpMethod = wire.method.rawValue
    #if canImport(FoundationNetworking)
      // A blank value removes a field that libcurl would add.
      for name in Self.defaults { setValue(" ", forHTTPHeaderField: name) }
    #endif
    for field in wire.headerFields where !Self.isGenerated(field, of: wire) {
      guard String(validating: field.bytes, as: UTF8.self) != nil else {
        throw wire.error(
          .invalidRequest(.fieldValue), phase: .preparing, bytesSent: false,
          detail: "the value of \(field.name) is not UTF-8; URLSession cannot send it")
      }
      setValue(wire.headerFields[field.name], forHTTPHeaderField: field.name.rawName)
    }
    if let bytes = body.bytes, !bytes.isEmpty { httpBody = Data(bytes) }
  }

  /// Whether a session generates this field.
  private static func isGenerated(_ field: HTTPField, of wire: WireRequest) -> Bool {
    #if canImport(FoundationNetworking)
      field.name == .host && field.value == wire.origin.authority
    #else
      field.name == .transferEncoding || field.name == .contentLength
        || field.name == .host && field.value == wire.origin.authority
    #endif
  }

  #if canImport(FoundationNetworking)
    /// The fields that FoundationNetworking or libcurl adds by default.
    private static let defaults = [
      "Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Length",
      "Content-Type", "Expect", "Transfer-Encoding", "User-Agent",
    ]
  #endif
}
