import CCurl
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// What went wrong, in the words of the port.
extension CurlHandle {
  /// The transport was shut down.
  func shutDownError() -> TransportError {
    error(.shutDown, "the transport was shut down")
  }

  /// An error of this transfer, with the phase that it is in.
  func error(
    _ kind: TransportError.Kind, _ detail: String, code: Int32? = nil
  ) -> TransportError {
    var phase = phase
    switch kind {
    // How far a handshake came is not among the times.
    case .tls: phase = .securing
    // What is wrong with a response does not depend on how much was sent.
    case .emptyReply, .truncatedHead, .malformedHead, .headTooLarge, .invalidLength:
      if phase == .sending { phase = .awaitingHead }
    default: break
    }
    var error = TransportError(
      kind, phase: phase, method: transfer?.wire.method, bytesSent: bytesSent,
      code: code.map(Int.init), detail: detail)
    if outgoing.isUnprocessed, kind == .connectionReset { error.isRetrySafe = true }
    return error
  }

  private var phase: TransportError.Phase {
    if incoming.hasHead { return .receivingBody }
    if outgoing.attempts > 0 { return isSent ? .awaitingHead : .sending }
    if ccurl_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    if ccurl_offset(easy, CURLINFO_CONNECT_TIME_T) == 0 { return .connecting }
    return transfer?.wire.origin.scheme == .https ? .securing : .connecting
  }

  /// Whether HTTP/2 was agreed on; `nil` where that is not known.
  var speaksHTTP2: Bool? {
    guard configuration.asksOpenSSL, let session = ccurl_openssl_session(easy) else { return nil }
    return OpenSSL.shared?.speaksHTTP2(session)
  }

  func error(for code: CURLcode) -> TransportError {
    let text = String(cString: errorText)
    let detail = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    return error(kind(of: code, text: text), detail, code: Int32(bitPattern: code.rawValue))
  }

  private func kind(of code: CURLcode, text: String) -> TransportError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxyFailed
    case CURLE_COULDNT_CONNECT: return connectKind(text)
    case CURLE_RECV_ERROR where outgoing.attempts == 0: return connectKind(text)
    case CURLE_OPERATION_TIMEDOUT: return outgoing.attempts == 0 ? .connectTimeout : .idleTimeout
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR: return .tls(tlsFailure(text))
    case CURLE_GOT_NOTHING: return endedHead
    case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND: return .connectionReset
    case CURLE_RECV_ERROR: return receiveKind(text)
    case CURLE_PARTIAL_FILE: return !incoming.hasHead ? endedHead : .truncatedBody
    case CURLE_WEIRD_SERVER_REPLY:
      return text.contains("Content-Length") ? .invalidLength : .malformedHead
    case CURLE_UNSUPPORTED_PROTOCOL where outgoing.attempts > 0: return .malformedHead
    case CURLE_OUT_OF_MEMORY where bytesSent && !incoming.hasHead: return .headTooLarge
    // What cannot be a field, before this adapter has seen the line.
    case CURLE_BAD_FUNCTION_ARGUMENT where bytesSent:
      return incoming.hasHead ? .badChunk : .malformedHead
    // Without a word, this means that the session has nothing left to do: it was ended by GOAWAY.
    case CURLE_HTTP2 where outgoing.isUnprocessed || text.isEmpty: return .connectionReset
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return .protocolViolation
    case ccurl_code_too_large: return .headTooLarge
    default: return .other
    }
  }

  private func connectKind(_ text: String) -> TransportError.Kind {
    switch ccurl_long(easy, CURLINFO_HTTP_CONNECTCODE) {
    case 0: break
    case 407: return .proxyAuthenticationRequired
    default: return .proxyFailed
    }
    // Whether a proxy stood on the way is only to be seen from whom libcurl names.
    let origin = transfer?.wire.origin
    let isStraight = origin.map { text.contains(" \($0.host) port \($0.port) ") } ?? true
    guard configuration.proxy == .none || isStraight else { return .proxyFailed }
    return ccurl_long(easy, CURLINFO_OS_ERRNO) == Int(ECONNREFUSED)
      ? .connectionRefused : .connectFailed
  }

  private func receiveKind(_ text: String) -> TransportError.Kind {
    if text.contains("Out of memory in chunked-encoding") || text.contains("Too large response") {
      return .headTooLarge
    }
    if text.contains("chunked-encoding") { return .badChunk }
    guard text.contains("unexpected eof") else { return .connectionReset }
    // TLS ended without close_notify: the end cannot be trusted, whatever the framing.
    return incoming.hasHead ? .truncatedBody : endedHead
  }

  /// Source: x509_vfy.h, `X509_V_ERR_…`.
  private func tlsFailure(_ text: String) -> TransportError.TLSFailure {
    switch ccurl_long(easy, CURLINFO_SSL_VERIFYRESULT) {
    case 9, 10: return .certificateExpired
    case 18: return .selfSigned
    case 2, 19, 20, 21, 24, 27: return .unknownAuthority
    case 62, 64: return .wrongHost
    default: break
    }
    if text.contains("subject name") || text.contains("host name") { return .wrongHost }
    let isVersion = ["protocol version", "unsupported protocol", "version too low"]
      .contains { text.contains($0) }
    return isVersion ? .protocolVersion : .handshake
  }
}
