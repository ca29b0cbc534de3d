import Foundation
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The request as a session takes it; content that is made while it is sent is left to the caller.
  ///
  /// - Throws: ``TransportError`` where a session can't send it.
  init(_ wire: WireRequest, body: HTTPRequestBody) throws(TransportError) {
    guard let url = URL(string: wire.url, encodingInvalidCharacters: false) else {
      throw wire.error(
        .invalidRequest(.url), phase: .preparing, bytesSent: false,
        detail: "Foundation doesn't read \(wire.url.debugDescription) as a URL; percent-encode it")
    }
    guard !body.hasTrailers else {
      throw wire.error(
        .other, phase: .preparing, bytesSent: false, detail: "URLSession sends no trailer fields")
    }
    guard wire.method != .get || body.isNone || body.bytes == [] else {
      throw wire.error(
        .invalidRequest(.body), phase: .preparing, bytesSent: false,
        detail: "URLSession sends no content with GET")
    }
    self.init(url: url)
    httpMethod = wire.method.rawValue
    #if canImport(FoundationNetworking)
      // A blank value takes away the field that libcurl would add; so does any other value.
      for name in Self.defaults { setValue(" ", forHTTPHeaderField: name) }
    #endif
    for field in wire.headerFields where !Self.makesItself(field, of: wire) {
      guard String(validating: field.bytes, as: UTF8.self) != nil else {
        throw wire.error(
          .invalidRequest(.fieldValue), phase: .preparing, bytesSent: false,
          detail: "the value of \(field.name) isn't UTF-8, which URLSession can't send")
      }
      setValue(wire.headerFields[field.name], forHTTPHeaderField: field.name.rawName)
    }
    if let bytes = body.bytes, !bytes.isEmpty { httpBody = Data(bytes) }
  }

  /// Whether a session makes this field itself.
  private static func makesItself(_ field: HTTPField, of wire: WireRequest) -> Bool {
    #if canImport(FoundationNetworking)
      field.name == .host && field.value == wire.origin.authority
    #else
      field.name == .transferEncoding || field.name == .contentLength
        || field.name == .host && field.value == wire.origin.authority
    #endif
  }

  #if canImport(FoundationNetworking)
    /// The fields that FoundationNetworking or libcurl would add.
    private static let defaults = [
      "Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Length",
      "Content-Type", "Expect", "Transfer-Encoding", "User-Agent",
    ]
  #endif
}
