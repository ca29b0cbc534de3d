import CCurl
import Foundation
import TransportPort

/// What is known of a transfer that fails, and the error of the port that it means.
///
/// These are values, and not calls of libcurl, so that a test can give a report of another version than
/// the one that it runs with: versions report the same failure in different ways.
struct CurlReport {
  /// What an HTTP/2 connection is known to have done.
  struct Connection {
    /// The error code of the last GOAWAY (RFC 9113 §7); `nil` if the server did not send one.
    var goAwayCode: UInt32?
    /// Whether nothing more can be read from it.
    var isEnded: Bool
    /// Whether the last field block may have a field that is longer than nghttp2 accepts.
    var hasLargeFields: Bool
  }

  var library = CurlLibrary.current

  // What libcurl reports.
  /// What libcurl and OpenSSL say about the failure; empty if nothing.
  var text: String
  /// Whether the name is resolved.
  var isResolved: Bool
  /// Whether libcurl counts the transfer as connected.
  var isConnected: Bool
  /// Whether a proxy is used; known since libcurl 8.7.
  var usesProxy: Bool
  /// The status of the proxy's response to CONNECT; 0 if none.
  var connectStatus: Int
  /// The system's error; 0 if none.
  var systemError: Int32
  /// OpenSSL's result of the verification of the peer's certificate.
  var verification: Int

  // The request.
  var method: HTTPRequest.Method?
  var origin: HTTPOrigin?
  /// Whether the configuration may use a proxy.
  var mayUseProxy: Bool
  /// The number of tries that may have sent a part of the request.
  var tries: Int
  /// Whether the last try used a connection that was used before.
  var isKeptConnection: Bool
  /// Whether the content can be sent again: it is in memory, or nothing of it was taken.
  var repeatsContent: Bool
  /// Whether the whole request was passed to the system, in this attempt or an earlier one.
  var isSent: Bool
  var wasSent: Bool
  /// Whether the server has announced that it did not process the request.
  var isUnprocessed: Bool

  // The response.
  /// Whether the final head is complete.
  var hasHead: Bool
  /// Whether the head of an interim response is complete.
  var hasInterim: Bool
  /// Whether no line of a head was received.
  var isHeadEmpty: Bool
  /// The error code of RST_STREAM (RFC 9113 §7); `nil` if the server did not send it.
  var resetCode: UInt32?
  /// The connection, if its frames are seen.
  var connection: Connection?

  /// Whether any byte of the request may have been sent.
  var bytesSent: Bool { tries > 0 }

  /// Whether the server did not process the request: it said so, or refused the stream.
  private var isRefused: Bool { isUnprocessed || resetCode == HTTP2Streams.refused }

  /// Whether to send the request again after libcurl has given up with a code.
  ///
  /// A request that the server did not process is sent again whatever its method. libcurl does that
  /// at most five times, and not if the refused stream was not the first of its connection. A server
  /// that ends each connection after a number of requests does it more often to the last of a crowd.
  ///
  /// An idempotent request is also sent again if a kept connection ends before the response. libcurl
  /// does that for some of the ways in which an HTTP/2 connection ends, and at most five times for
  /// all transfers of a handle.
  func allowsNextTry(after code: CURLcode) -> Bool {
    guard !hasHead, !hasInterim, tries < 32, repeatsContent else { return false }
    return isRefused
      || isKeptConnection && method?.isIdempotent == true && isFromEndedConnection(code)
  }

  /// The error for a code of libcurl.
  func error(for code: CURLcode) -> TransportError {
    var detail = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    if isFieldTooLong(code) { detail = "a field is longer than \(library.description) accepts" }
    let number = Int32(bitPattern: code.rawValue)
    if let error = breachError(for: code) { return error }
    // After a refusal, the transfer keeps libcurl from its own next try; see `CurlHandle.allowsAttempt(on:)`.
    if code == CURLE_ABORTED_BY_CALLBACK, isRefused {
      return error(.connectionReset, "the server refused the request in each try", code: number)
    }
    if bytesSent, isFromConnecting(code) {
      var reset = error(
        .connectionReset,
        "a kept connection ended before the response, and the next attempt failed: \(detail)",
        code: number)
      // libcurl 8.14 rewinds the content before it connects again.
      if wasSent { reset.phase = .awaitingHead }
      return reset
    }
    return error(kind(of: code), detail, code: number)
  }

  /// An error with the current phase of the transfer.
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
      kind, phase: phase, method: method, bytesSent: bytesSent, code: code.map(Int.init),
      detail: detail)
    if isRefused, kind == .connectionReset { error.isRetrySafe = true }
    return error
  }

  /// The phase in which the transfer is.
  private var phase: TransportError.Phase {
    if hasHead { return .receivingBody }
    if bytesSent { return isSent ? .awaitingHead : .sending }
    guard isResolved else { return .resolving }
    guard isConnected else { return .connecting }
    // libcurl 8.23 counts as connected before the proxy has opened the tunnel.
    let awaitsTunnel = usesProxy && connectStatus == 0
    return origin?.scheme == .https && !awaitsTunnel ? .securing : .connecting
  }

  /// The kind of error if the connection ended before the head was complete.
  var endedHeadKind: TransportError.Kind {
    // libcurl does not report an incomplete first line, so that counts as an empty reply.
    isHeadEmpty ? .emptyReply : .truncatedHead
  }

  /// The error of a request whose HTTP/2 connection ended because one side violated the protocol; `nil`
  /// if neither did, as far as is known.
  ///
  /// libcurl reports both as an orderly end of the connection.
  private func breachError(for code: CURLcode) -> TransportError? {
    guard isFromEndedConnection(code), !isUnprocessed, resetCode == nil, let connection else {
      return nil
    }
    let number = Int32(bitPattern: code.rawValue)
    if let cause = connection.goAwayCode, cause != 0 {
      return error(
        .init(streamError: cause), "the server ended the connection with error \(cause)",
        code: number)
    }
    // libcurl closes a connection whose frames nghttp2 rejects. Not all versions say so for all frames. 8.23
    // reports an orderly GOAWAY like a protocol error.
    let rejections = [
      "nghttp2 shuts down connection", "nghttp2_session_mem_recv() returned", "nghttp2 recv error",
    ]
    let isRejected = rejections.contains { text.contains($0) }
    if code == CURLE_HTTP2, !isRejected, connection.goAwayCode == 0, !hasHead {
      return error(
        endedHeadKind, "the server ended the connection without a response", code: number)
    }
    let isClosed =
      !connection.isEnded && (code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE)
    guard isRejected || isClosed else { return nil }
    return error(
      connection.hasLargeFields ? .headTooLarge : .protocolViolation,
      "nghttp2 rejected a frame of the server", code: number)
  }

  /// Whether libcurl returns a code because a connection has ended.
  func isFromEndedConnection(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: true
    case CURLE_HTTP2: resetCode == nil
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

  private func kind(of code: CURLcode) -> TransportError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxyFailed
    case CURLE_COULDNT_CONNECT: return connectKind
    case CURLE_RECV_ERROR where !bytesSent: return connectKind
    case CURLE_OPERATION_TIMEDOUT: return .connectTimeout
    case CURLE_SSL_CLIENTCERT: return .tls(.certificateRequired)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR: return .tls(tlsFailure)
    case CURLE_GOT_NOTHING: return endedHeadKind
    case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR: return receiveKind
    case CURLE_PARTIAL_FILE: return hasHead ? .truncatedBody : endedHeadKind
    case CURLE_WEIRD_SERVER_REPLY:
      return text.contains("Content-Length") ? .invalidLength : .malformedHead
    // Of another protocol than the port's can only be the response.
    case CURLE_UNSUPPORTED_PROTOCOL: return .malformedHead
    case _ where isFieldTooLong(code): return .headTooLarge
    // libcurl rejects an invalid field line before it calls the header callback.
    case CURLE_BAD_FUNCTION_ARGUMENT where bytesSent: return hasHead ? .badChunk : .malformedHead
    // Without an error text, nghttp2 has no stream left because the server sent GOAWAY.
    case CURLE_HTTP2 where isRefused || text.isEmpty: return .connectionReset
    // libcurl 7.88 reports a write after RST like this.
    case CURLE_HTTP2 where text.contains("Send failure: "): return .connectionReset
    case CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return resetCode.map { .init(streamError: $0) } ?? .protocolViolation
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
    code == CURLE_OUT_OF_MEMORY && bytesSent && !hasHead
  }

  private var connectKind: TransportError.Kind {
    switch connectStatus {
    case 0: break
    case 407: return .proxyAuthenticationRequired
    default: return .proxyFailed
    }
    if isOfProxy { return .proxyFailed }
    return systemError == ECONNREFUSED ? .connectionRefused : .connectFailed
  }

  /// Whether the connection that failed was one to a proxy.
  private var isOfProxy: Bool {
    guard mayUseProxy, let origin else { return false }
    if library.reportsProxy { return usesProxy }
    // Before 8.7, libcurl names the host and port only in the error text.
    return !text.contains(" \(origin.host) port \(origin.port) ")
  }

  private var receiveKind: TransportError.Kind {
    if text.contains("Out of memory in chunked-encoding") { return .headTooLarge }
    if text.contains("Too large response") { return .headTooLarge }
    // In TLS 1.3 the client has completed the handshake before the server judges its certificate.
    if text.contains("alert certificate required") { return .tls(.certificateRequired) }
    guard text.contains("unexpected eof") else { return .connectionReset }
    // TLS ended without close_notify, so an attacker may have truncated the response.
    return hasHead ? .truncatedBody : endedHeadKind
  }

  /// Maps OpenSSL's verification result, and otherwise libcurl's text.
  ///
  /// Source: the `X509_V_ERR_` constants in openssl/x509_vfy.h.
  private var tlsFailure: TransportError.TLSFailure {
    switch verification {
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
