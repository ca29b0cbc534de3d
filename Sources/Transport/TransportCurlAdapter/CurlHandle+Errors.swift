import CCurl
import Foundation
import TransportPort

// Maps libcurl's errors to those of the port.
extension CurlHandle {
  /// Creates the error of a transfer that a shutdown ended.
  func shutDownError() -> TransportError {
    error(.shutDown, "the transport was shut down")
  }

  /// Creates an error with the current phase of the transfer.
  func error(
    _ kind: TransportError.Kind, _ detail: String, code: Int32? = nil
  ) -> TransportError {
    var phase = phase
    switch kind {
    // libcurl has no time stamp for the start of the handshake.
    case .tls: phase = .securing
    // libcurl 8.14 has connected when the proxy refuses the tunnel.
    case .proxyFailed, .proxyAuthenticationRequired:
      if phase == .securing { phase = .connecting }
    // An error in the response can occur while the upload is still running.
    case .emptyReply, .truncatedHead, .malformedHead, .headTooLarge, .invalidLength:
      if phase == .sending { phase = .awaitingHead }
    default: break
    }
    var error = TransportError(
      kind, phase: phase, method: transfer?.wire.method, bytesSent: bytesSent,
      code: code.map(Int.init), detail: detail)
    if outgoing.isUnprocessed || isStreamRefused, kind == .connectionReset {
      error.isRetrySafe = true
    }
    return error
  }

  /// The current phase, derived from the callbacks so far and libcurl's time stamps.
  private var phase: TransportError.Phase {
    if incoming.hasHead { return .receivingBody }
    if outgoing.attempts > 0 { return isSent ? .awaitingHead : .sending }
    if ccurl_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    if ccurl_offset(easy, CURLINFO_CONNECT_TIME_T) == 0 { return .connecting }
    // libcurl 8.23 counts as connected before the proxy has opened the tunnel.
    let awaitsTunnel =
      ccurl_long(easy, ccurl_info_used_proxy) != 0
      && ccurl_long(easy, CURLINFO_HTTP_CONNECTCODE) == 0
    return transfer?.wire.origin.scheme == .https && !awaitsTunnel ? .securing : .connecting
  }

  /// Whether ALPN selected HTTP/2; `nil` if unknown.
  var speaksHTTP2: Bool? {
    ccurl_openssl_session(easy).flatMap { OpenSSL.shared?.speaksHTTP2($0) }
  }

  func error(for code: CURLcode) -> TransportError {
    var text = String(cString: errorText)
    if let reason = outgoing.connection?.tap?.failureText, !reason.isEmpty { text += ": " + reason }
    var detail = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    if isFieldTooLong(code) {
      detail = "a field is longer than \(CurlLibrary.current.description) accepts"
    }
    let number = Int32(bitPattern: code.rawValue)
    if let error = breachError(for: code, text: text) { return error }
    if outgoing.attempts > 0, isFromConnecting(code) {
      var reset = error(
        .connectionReset,
        "a kept connection ended before the response, and the next attempt failed: \(detail)",
        code: number)
      // libcurl 8.14 rewinds the content before it connects again.
      if outgoing.wasSent { reset.phase = .awaitingHead }
      return reset
    }
    return error(kind(of: code, text: text), detail, code: number)
  }

  /// The error of a request whose HTTP/2 connection ended because one side violated the protocol; `nil`
  /// if neither did, as far as is known.
  ///
  /// libcurl reports both as an orderly end of the connection.
  private func breachError(for code: CURLcode, text: String) -> TransportError? {
    guard isFromEndedConnection(code), !outgoing.isUnprocessed, stream?.resetCode == nil,
      let tap = outgoing.connection?.tap
    else { return nil }
    let number = Int32(bitPattern: code.rawValue)
    if let cause = tap.goAwayCode, cause != 0 {
      return error(
        .init(streamError: cause), "the server ended the connection with error \(cause)",
        code: number)
    }
    // libcurl closes a connection whose frames nghttp2 rejects. 8.23 says so, and reports an orderly GOAWAY
    // like a protocol error.
    let isRejected = text.contains("nghttp2 shuts down connection")
    if code == CURLE_HTTP2, !isRejected, tap.goAwayCode == 0, !incoming.hasHead {
      return error(
        endedHeadKind, "the server ended the connection without a response", code: number)
    }
    let isClosed = !tap.isEnded && (code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE)
    guard isRejected || isClosed else { return nil }
    return error(
      tap.hasLargeFields ? .headTooLarge : .protocolViolation,
      "nghttp2 rejected a frame of the server", code: number)
  }

  /// Whether libcurl returns a code because a connection has ended.
  func isFromEndedConnection(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: true
    case CURLE_HTTP2: stream?.resetCode == nil
    default: false
    }
  }

  /// Whether libcurl returns a code for an attempt to connect.
  ///
  /// If a kept connection ends before the response, libcurl connects again. What that attempt
  /// reports does not tell what became of the request that was already sent.
  private func isFromConnecting(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY,
      CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CONNECT_ERROR:
      true
    default: false
    }
  }

  private func kind(of code: CURLcode, text: String) -> TransportError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxyFailed
    case CURLE_COULDNT_CONNECT: return connectKind(text)
    case CURLE_RECV_ERROR where outgoing.attempts == 0: return connectKind(text)
    case CURLE_OPERATION_TIMEDOUT: return .connectTimeout
    case CURLE_SSL_CLIENTCERT: return .tls(.certificateRequired)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR: return .tls(tlsFailure(text))
    case CURLE_GOT_NOTHING: return endedHeadKind
    case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR: return receiveKind(text)
    case CURLE_PARTIAL_FILE: return !incoming.hasHead ? endedHeadKind : .truncatedBody
    case CURLE_WEIRD_SERVER_REPLY:
      return text.contains("Content-Length") ? .invalidLength : .malformedHead
    // Of another protocol than the port's can only be the response.
    case CURLE_UNSUPPORTED_PROTOCOL: return .malformedHead
    case _ where isFieldTooLong(code): return .headTooLarge
    // libcurl rejects an invalid field line before it calls the header callback.
    case CURLE_BAD_FUNCTION_ARGUMENT where bytesSent:
      return incoming.hasHead ? .badChunk : .malformedHead
    // Without an error text, nghttp2 has no stream left because the server sent GOAWAY.
    case CURLE_HTTP2 where outgoing.isUnprocessed || isStreamRefused || text.isEmpty:
      return .connectionReset
    case CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return stream?.resetCode.map { .init(streamError: $0) } ?? .protocolViolation
    // libcurl decodes no content here; 8.14 gives this code for a transfer coding.
    case CURLE_BAD_CONTENT_ENCODING: return .unsupportedTransferCoding
    case ccurl_code_too_large: return .headTooLarge
    default: return .other
    }
  }

  /// Whether libcurl rejects a field because of its length.
  ///
  /// That of 7.88 is 100 KiB, and it reports that memory has run out.
  private func isFieldTooLong(_ code: CURLcode) -> Bool {
    code == CURLE_OUT_OF_MEMORY && bytesSent && !incoming.hasHead
  }

  private func connectKind(_ text: String) -> TransportError.Kind {
    switch ccurl_long(easy, CURLINFO_HTTP_CONNECTCODE) {
    case 0: break
    case 407: return .proxyAuthenticationRequired
    default: return .proxyFailed
    }
    if usesProxy(text) { return .proxyFailed }
    return ccurl_long(easy, CURLINFO_OS_ERRNO) == Int(ECONNREFUSED)
      ? .connectionRefused : .connectFailed
  }

  /// Whether the connection that failed was one to a proxy.
  private func usesProxy(_ text: String) -> Bool {
    guard configuration.proxy != .none, let origin = transfer?.wire.origin else { return false }
    if CurlLibrary.current.reportsProxy { return ccurl_long(easy, ccurl_info_used_proxy) != 0 }
    // Before 8.7, libcurl names the host and port only in the error text.
    return !text.contains(" \(origin.host) port \(origin.port) ")
  }

  private func receiveKind(_ text: String) -> TransportError.Kind {
    if text.contains("Out of memory in chunked-encoding") { return .headTooLarge }
    if text.contains("Too large response") { return .headTooLarge }
    // In TLS 1.3 the client has completed the handshake before the server judges its certificate.
    if text.contains("alert certificate required") { return .tls(.certificateRequired) }
    guard text.contains("unexpected eof") else { return .connectionReset }
    // TLS ended without close_notify, so an attacker may have truncated the response.
    return incoming.hasHead ? .truncatedBody : endedHeadKind
  }

  /// Maps OpenSSL's verification result, and otherwise libcurl's text.
  ///
  /// Source: the `X509_V_ERR_` constants in openssl/x509_vfy.h.
  private func tlsFailure(_ text: String) -> TransportError.TLSFailure {
    switch ccurl_long(easy, CURLINFO_SSL_VERIFYRESULT) {
    case 9, 10: return .certificateExpired
    case 18: return .selfSigned
    case 2, 19, 20, 21, 24, 27: return .unknownAuthority
    default: break
    }
    // libcurl compares the host itself, so OpenSSL has no result for that.
    if text.contains("subject name") { return .wrongHost }
    let versionTexts = ["protocol version", "unsupported protocol", "version too low"]
    let isVersion = versionTexts.contains { text.contains($0) }
    return isVersion ? .protocolVersion : .handshake
  }
}
