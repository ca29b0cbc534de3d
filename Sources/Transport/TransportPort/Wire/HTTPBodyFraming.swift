/// How the end of a response's body is found.
///
/// Source: RFC 9112 §6.3.
public enum HTTPBodyFraming: Sendable, Hashable {
  /// There is no body, whatever the fields say: HEAD, 1xx, 204, 304.
  case none
  /// So many bytes.
  case length(Int)
  /// Chunks up to the last one, then trailers.
  case chunked
  /// All that comes until the connection ends.
  case untilClose

  /// Works out the framing of a response.
  ///
  /// Transfer-Encoding wins over Content-Length, and without chunks the body then ends with the
  /// connection. A length must be a number, and repeated ones the same, even where it is not used:
  /// in the response to HEAD and beside a Transfer-Encoding.
  ///
  /// - Parameters:
  ///   - response: The response's head.
  ///   - method: The method of the request.
  /// - Throws: ``TransportError`` of kind `conflictingLength`, `invalidLength` or
  ///   `unsupportedTransferCoding`.
  public init(
    of response: HTTPResponse, to method: HTTPRequest.Method
  ) throws(TransportError) {
    let code = response.status.code
    guard code >= 200, code != 204, code != 304 else {
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

  /// Whether the connection may carry another response after this one.
  ///
  /// Not so after `Connection: close`, after HTTP/1.0 without `keep-alive`, after a body that ends
  /// with the connection, and where both framings were given (RFC 9112 §6.3 and §9.3).
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

  /// Whether the last transfer coding is chunked; `nil` where there is none.
  private static func isChunked(_ fields: HTTPFields) throws(TransportError) -> Bool? {
    let codings = fields.list(.transferEncoding)
    switch codings {
    case ["chunked"]: return true
    case ["identity"]: return false
    case [] where !fields.contains(.transferEncoding): return nil
    default:
      throw TransportError(
        .unsupportedTransferCoding, phase: .awaitingHead, bytesSent: true,
        detail: "Transfer-Encoding is \(codings.joined(separator: ", ").debugDescription)")
    }
  }

  /// The one length that all Content-Length fields agree on.
  private static func length(_ fields: HTTPFields) throws(TransportError) -> Int? {
    let values = fields[values: .contentLength].flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces() }
    }
    guard let first = values.first else { return nil }
    var lengths: [Int] = []
    for value in values {
      guard !value.isEmpty, value.utf8.allSatisfy(\.isDigit), let length = Int(value) else {
        throw TransportError(
          .invalidLength, phase: .awaitingHead, bytesSent: true,
          detail: "Content-Length is \(value.debugDescription)")
      }
      lengths.append(length)
    }
    guard let length = lengths.first, lengths.allSatisfy({ $0 == length }) else {
      throw TransportError(
        .conflictingLength, phase: .awaitingHead, bytesSent: true,
        detail: "Content-Length is \(first) and also \(values.last ?? "")")
    }
    return length
  }
}
