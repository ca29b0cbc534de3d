/// How the end of a response body is determined.
///
/// Source: RFC 9112 §6.3.
public enum HTTPBodyFraming: Sendable, Hashable {
  /// There is no body, whatever the fields say: the response to HEAD, 1xx, 204 and 304.
  case none
  /// The body has this many bytes.
  case length(Int)
  /// The body is a sequence of chunks, followed by trailers.
  case chunked
  /// The body ends with the connection.
  case untilClose

  /// Determines the framing of a response.
  ///
  /// Transfer-Encoding overrides Content-Length; `identity` means that the body ends with the
  /// connection. Content-Length must be a number, and repeated values must be equal, even in the
  /// response to HEAD and together with Transfer-Encoding, where it is not used.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - method: The method of the request.
  /// - Throws: ``TransportError`` of kind `conflictingLength`, `invalidLength` or
  ///   `unsupportedTransferCoding`.
  public init(
    of response: HTTPResponse, to method: HTTPRequest.Method
  ) throws(TransportError) {
    let code = response.status.code
    guard !response.status.isInformational, code != 204, code != 304 else {
      self = .none
      return
    }
    let length = try Self.length(response.headerFields)
    if method == .head {
      self = .none
    } else if let isChunked = try Self.isChunked(response.headerFields) {
      self = isChunked ? .chunked : .untilClose
    } else if let length {
      self = .length(length)
    } else {
      self = .untilClose
    }
  }

  /// Whether the connection can be used for another request after this response.
  ///
  /// False for `Connection: close`, for HTTP/1.0 without `keep-alive`, for a body that ends with
  /// the connection, and for a response with both framings (RFC 9112 §6.3 and §9.3).
  public func keepsConnectionAlive(
    after response: HTTPResponse, version: HTTPHeadParser.Version
  ) -> Bool {
    let options = response.headerFields.list(.connection)
    let fields = response.headerFields
    guard self != .untilClose, !options.contains("close"),
      !(fields.contains(.transferEncoding) && fields.contains(.contentLength))
    else { return false }
    switch version {
    case .http10: return options.contains("keep-alive") && !fields.contains(.transferEncoding)
    case .http11, .multiplexed: return true
    }
  }

  /// Whether the transfer coding is chunked; `nil` without Transfer-Encoding.
  private static func isChunked(_ fields: HTTPFields) throws(TransportError) -> Bool? {
    let codings = fields.list(.transferEncoding)
    switch codings {
    case ["chunked"]: return true
    case ["identity"]: return false
    case [] where !fields.contains(.transferEncoding): return nil
    default:
      throw TransportError(
        .unsupportedTransferCoding, phase: .awaitingHead, bytesSent: true,
        detail:
          "Transfer-Encoding is \(codings.joined(separator: ", ").debugDescription), not chunked")
    }
  }

  /// The value of all Content-Length fields; `nil` without one.
  private static func length(_ fields: HTTPFields) throws(TransportError) -> Int? {
    let values = fields[values: .contentLength].flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces() }
    }
    var length: Int?
    for value in values {
      guard value.utf8.allSatisfy(\.isDigit), let next = Int(value) else {
        throw TransportError(
          .invalidLength, phase: .awaitingHead, bytesSent: true,
          detail: "Content-Length is \(value.debugDescription), not a number of bytes")
      }
      if let length, length != next {
        throw TransportError(
          .conflictingLength, phase: .awaitingHead, bytesSent: true,
          detail: "the response has different Content-Length values: \(length) and \(next)")
      }
      length = next
    }
    return length
  }
}
