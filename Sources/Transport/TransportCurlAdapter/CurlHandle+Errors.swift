import CCurl
import TransportPort

// The errors of a transfer.
extension CurlHandle {
  /// What is known of the transfer now.
  var report: CurlReport {
    let tap = outgoing.connection?.tap
    return CurlReport(
      text: [String(cString: errorText), tap?.failureText ?? ""].filter { !$0.isEmpty }
        .joined(separator: ": "),
      isResolved: ccurl_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) != 0,
      isConnected: ccurl_offset(easy, CURLINFO_CONNECT_TIME_T) != 0,
      usesProxy: ccurl_long(easy, ccurl_info_used_proxy) != 0,
      connectStatus: ccurl_long(easy, CURLINFO_HTTP_CONNECTCODE),
      systemError: Int32(truncatingIfNeeded: ccurl_long(easy, CURLINFO_OS_ERRNO)),
      verification: ccurl_long(easy, CURLINFO_SSL_VERIFYRESULT),
      method: transfer?.wire.method, origin: transfer?.wire.origin,
      mayUseProxy: configuration.proxy != .none, tries: outgoing.attempts,
      isKeptConnection: outgoing.isKeptConnection,
      repeatsContent: repeatsContent, isSent: isSent,
      wasSent: outgoing.wasSent, isUnprocessed: outgoing.isUnprocessed,
      hasHead: incoming.hasHead, hasInterim: !incoming.informational.isEmpty,
      isHeadEmpty: headCache.isEmpty && incoming.informational.isEmpty,
      resetCode: stream?.resetCode,
      connection: tap.map {
        CurlReport.Connection(
          goAwayCode: $0.goAwayCode, isEnded: $0.isEnded, hasLargeFields: $0.hasLargeFields)
      })
  }

  /// Creates an error with the current phase of the transfer.
  func error(
    _ kind: TransportError.Kind, _ detail: String, code: Int32? = nil
  ) -> TransportError {
    report.error(kind, detail, code: code)
  }

  /// Creates the error of a transfer that a shutdown ended.
  func shutDownError() -> TransportError {
    error(.shutDown, "the transport was shut down")
  }

  /// Whether ALPN selected HTTP/2; `nil` if unknown.
  var speaksHTTP2: Bool? {
    ccurl_openssl_session(easy).flatMap { OpenSSL.shared?.speaksHTTP2($0) }
  }
}
