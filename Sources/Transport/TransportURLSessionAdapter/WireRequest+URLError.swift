import Foundation
import TransportPort

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WireRequest {
  /// Maps the error of a session to that of the port.
  ///
  /// - Parameters:
  ///   - error: The session's error.
  ///   - hasHead: Whether the head was complete.
  func error(from error: any Error, hasHead: Bool) -> TransportError {
    let code = (error as NSError).code
    let text = error.localizedDescription
    let kind =
      (error as? URLError).flatMap { TransportError.Kind($0.code) }
      ?? TransportError.Kind(libcurlMessage: text, hasHead: hasHead) ?? .other
    return self.error(
      kind, phase: kind.phase ?? (hasHead ? .receivingBody : .awaitingHead),
      bytesSent: !kind.isBeforeSending, code: code, detail: text, underlying: error)
  }
}

extension TransportError.Kind {
  /// Maps a code that determines the kind; `nil` for other codes.
  fileprivate init?(_ code: URLError.Code) {
    switch code {
    case .badURL: self = .invalidRequest(.url)
    case .cancelled: self = .cancelled
    case .cannotFindHost, .dnsLookupFailed: self = .nameNotResolved
    case .cannotConnectToHost: self = .connectionRefused
    case .notConnectedToInternet: self = .connectFailed
    case .timedOut: self = .connectTimeout
    case .networkConnectionLost: self = .connectionReset
    case .cannotParseResponse: self = .malformedHead
    case .serverCertificateHasBadDate, .serverCertificateNotYetValid:
      self = .tls(.certificateExpired)
    case .clientCertificateRequired, .clientCertificateRejected: self = .tls(.certificateRequired)
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
      self = .tls(.unknownAuthority)
    case .secureConnectionFailed: self = .tls(.handshake)
    default: return nil
    }
  }

  /// Maps libcurl's message, because FoundationNetworking reports the code -1 for most failures.
  fileprivate init?(libcurlMessage message: String, hasHead: Bool) {
    let kinds: [(text: String, kind: Self)] = [
      ("Empty reply", .emptyReply),
      ("Failed writing header", .malformedHead),
      ("Nul byte in header", .malformedHead),
      ("Header without colon", .malformedHead),
      ("HTTP/0.9", .malformedHead),
      ("Unsupported HTTP version", .malformedHead),
      ("Unsupported HTTP/1 subversion", .malformedHead),
      ("writing output to destination", hasHead ? .other : .malformedHead),
      ("grew larger than allowed", hasHead ? .other : .headTooLarge),
      ("bytes missing", .truncatedBody),
      ("invalid chunk size", .badChunk),
      ("chunk hex-length", .badChunk),
      ("Unsupported response code", .malformedHead),
      ("Invalid Content-Length", .invalidLength),
      ("Out of memory", hasHead ? .other : .headTooLarge),
      ("transfer closed", .truncatedBody),
      ("chunked-encod", .badChunk),
      ("Transfer-Encoding (", .unsupportedTransferCoding),
      ("content unencoding", .corruptEncoding),
      ("Content or Transfer-Encoding", .corruptEncoding),
      ("certificate has expired", .tls(.certificateExpired)),
      ("certificate is not yet valid", .tls(.certificateExpired)),
      ("alert certificate required", .tls(.certificateRequired)),
      ("in certificate chain", .tls(.unknownAuthority)),
      ("local issuer", .tls(.unknownAuthority)),
      ("self-signed", .tls(.selfSigned)),
      ("subject name", .tls(.wrongHost)),
      ("protocol version", .tls(.protocolVersion)),
      ("unsupported protocol", .tls(.protocolVersion)),
      // OpenSSL 3 offers TLS 1.0 and 1.1, but accepts none of their signatures.
      ("legacy sigalg", .tls(.protocolVersion)),
      ("SSL", .tls(.handshake)),
      ("send failure", .connectionReset),
      ("Recv failure", .connectionReset),
      ("connect to", .connectFailed),
    ]
    guard let match = kinds.first(where: { message.contains($0.text) }) else { return nil }
    self = match.kind
  }

  /// The phase of all failures of this kind; `nil` if the kind does not determine it.
  fileprivate var phase: TransportError.Phase? {
    switch self {
    case .invalidRequest: .preparing
    case .nameNotResolved: .resolving
    case .connectionRefused, .connectFailed, .connectTimeout: .connecting
    case .tls: .securing
    case .corruptEncoding: .decoding
    default: nil
    }
  }

  /// Whether a failure of this kind occurs before any byte of the request is sent.
  fileprivate var isBeforeSending: Bool {
    switch self {
    // In TLS 1.3 the server demands a certificate after the request may have been sent.
    case .tls(.certificateRequired): false
    case .invalidRequest, .nameNotResolved, .connectionRefused, .connectFailed, .tls: true
    default: false
    }
  }
}
