import CCurl
import Foundation
import Testing

@testable import TransportCurlAdapter
@testable import TransportPort

/// What the reports mean that the adapter expects from libcurl 7.88, 8.14 and 8.23.
///
/// They are written by hand. That each version reports so is shown by the contract on that version.
@Suite struct CurlReportTests {
  /// A report of a POST to `http://origin.example` or `https://origin.example`.
  private func report(
    _ text: String = "", scheme: HTTPOrigin.Scheme = .http,
    _ change: (inout CurlReport) -> Void = { _ in }
  ) -> CurlReport {
    var report = CurlReport(
      text: text, isResolved: false, isConnected: false, usesProxy: false, connectStatus: 0,
      systemError: 0, verification: 0, method: .post,
      origin: HTTPOrigin(
        scheme: scheme, host: "origin.example", port: scheme == .http ? 80 : 443),
      mayUseProxy: false, tries: 0, isKeptConnection: false, repeatsContent: true, isSent: true,
      wasSent: false, isUnprocessed: false, hasHead: false, hasInterim: false, isHeadEmpty: true)
    change(&report)
    return report
  }

  /// A report of a request that was sent.
  private func sent(
    _ text: String = "", _ change: (inout CurlReport) -> Void = { _ in }
  ) -> CurlReport {
    report(text) {
      $0.tries = 1
      change(&$0)
    }
  }

  /// A report about a request over HTTP/2.
  private func multiplexed(
    _ text: String = "", goAway: UInt32? = nil, _ change: (inout CurlReport) -> Void = { _ in }
  ) -> CurlReport {
    sent(text) {
      $0.connection = CurlReport.Connection(
        goAwayCode: goAway, isEnded: false, hasLargeFields: false)
      change(&$0)
    }
  }

  private func expect(
    _ kind: TransportError.Kind, for code: CURLcode, _ reports: CurlReport...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (index, report) in reports.enumerated() {
      let error = report.error(for: code)
      #expect(error.kind == kind, "report \(index): \(error)", sourceLocation: sourceLocation)
      #expect(error.code == Int(code.rawValue), sourceLocation: sourceLocation)
      #expect(error.bytesSent == report.bytesSent, sourceLocation: sourceLocation)
    }
  }

  // MARK: - Phases

  private func resolved(_ scheme: HTTPOrigin.Scheme = .https, isConnected: Bool) -> CurlReport {
    report(scheme: scheme) {
      $0.isResolved = true
      $0.isConnected = isConnected
    }
  }

  @Test func `the phase is that of the last step that has begun`() {
    var tunnel = resolved(isConnected: true)
    tunnel.usesProxy = true
    var open = tunnel
    open.connectStatus = 200
    for (report, phase) in [
      (report(), .resolving), (resolved(isConnected: false), .connecting),
      (resolved(isConnected: true), .securing), (resolved(.http, isConnected: true), .connecting),
      (tunnel, .connecting), (open, .securing), (sent(), .awaitingHead),
      (sent { $0.isSent = false }, .sending), (sent { $0.hasHead = true }, .receivingBody),
    ] as [(CurlReport, TransportError.Phase)] {
      let error = report.error(.cancelled, "cancelled")
      #expect(error.phase == phase)
      #expect(error.bytesSent == report.bytesSent)
    }
  }

  @Test func `a kind of failure may say more about the phase than libcurl`() {
    let sending = sent { $0.isSent = false }
    for kind in [.proxyFailed, .proxyAuthenticationRequired] as [TransportError.Kind] {
      #expect(resolved(isConnected: true).error(kind, "").phase == .connecting)
      #expect(report().error(kind, "").phase == .resolving)
    }
    #expect(resolved(isConnected: false).error(.tls(.handshake), "").phase == .securing)
    for kind in [
      .emptyReply, .truncatedHead, .malformedHead, .headTooLarge, .invalidLength,
    ] as [TransportError.Kind] {
      #expect(sending.error(kind, "").phase == .awaitingHead)
      #expect(sent { $0.hasHead = true }.error(kind, "").phase == .receivingBody)
    }
    #expect(sending.error(.connectionReset, "").phase == .sending)
    #expect(resolved(isConnected: true).error(.connectionReset, "").phase == .securing)
  }

  @Test func `only a request that the server did not process may be repeated`() {
    let refused: [CurlReport] = [
      sent { $0.isUnprocessed = true }, sent { $0.resetCode = 7 },
    ]
    for report in refused {
      #expect(report.error(.connectionReset, "").isRetrySafe)
      #expect(!report.error(.protocolViolation, "").isRetrySafe)
    }
    for code: UInt32? in [nil, 0, 8, 6] {
      #expect(!sent { $0.resetCode = code }.error(.connectionReset, "").isRetrySafe)
    }
  }

  // MARK: - Tries

  @Test func `an idempotent request is sent again if a kept connection ends before the response`() {
    func kept(_ change: (inout CurlReport) -> Void = { _ in }) -> CurlReport {
      sent {
        $0.method = .put
        $0.isKeptConnection = true
        change(&$0)
      }
    }
    for code in [CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR] {
      #expect(kept().allowsNextTry(after: code))
      #expect(kept { $0.tries = 31 }.allowsNextTry(after: code))
      for report in [
        kept { $0.isKeptConnection = false }, kept { $0.method = .post }, kept { $0.method = nil },
        kept { $0.hasHead = true }, kept { $0.hasInterim = true }, kept { $0.tries = 32 },
        kept { $0.repeatsContent = false },
      ] {
        #expect(!report.allowsNextTry(after: code), "\(report)")
      }
    }
    for code in [CURLE_OPERATION_TIMEDOUT, CURLE_WEIRD_SERVER_REPLY, CURLE_ABORTED_BY_CALLBACK] {
      #expect(!kept().allowsNextTry(after: code))
    }
  }

  @Test func `a request that the server did not process is sent again`() {
    for refuse: (inout CurlReport) -> Void in [{ $0.isUnprocessed = true }, { $0.resetCode = 7 }] {
      let refused = sent("", refuse)
      #expect(refused.allowsNextTry(after: CURLE_HTTP2_STREAM))
      for change: (inout CurlReport) -> Void in [
        { $0.hasHead = true }, { $0.hasInterim = true }, { $0.tries = 32 },
        { $0.repeatsContent = false },
      ] {
        var report = refused
        change(&report)
        #expect(!report.allowsNextTry(after: CURLE_HTTP2_STREAM), "\(report)")
      }
    }
    #expect(!sent { $0.resetCode = 8 }.allowsNextTry(after: CURLE_HTTP2_STREAM))
  }

  // MARK: - Connecting

  @Test func `failures to connect`() {
    let old = CurlLibrary(version: 0x07_58_01)
    let new = CurlLibrary(version: 0x08_0E_01)
    func failed(
      _ library: CurlLibrary, _ place: String = "origin.example port 80",
      _ change: (inout CurlReport) -> Void = { _ in }
    ) -> CurlReport {
      report("Failed to connect to \(place) after 0 ms: Couldn't connect to server") {
        $0.library = library
        $0.systemError = ECONNREFUSED
        change(&$0)
      }
    }
    expect(.nameNotResolved, for: CURLE_COULDNT_RESOLVE_HOST, report())
    expect(.proxyFailed, for: CURLE_COULDNT_RESOLVE_PROXY, report())
    expect(.proxyFailed, for: CURLE_PROXY, report())
    expect(.connectTimeout, for: CURLE_OPERATION_TIMEDOUT, report())
    for code in [CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR] {
      expect(
        .connectionRefused, for: code, failed(old), failed(new),
        failed(old) { $0.mayUseProxy = true }, failed(new) { $0.mayUseProxy = true },
        // Without a proxy, the place may be spelled differently.
        failed(old, "::1 port 80"))
      expect(
        .connectFailed, for: code, failed(old) { $0.systemError = ENETUNREACH },
        failed(new) { $0.systemError = 0 })
      expect(
        .proxyFailed, for: code,
        failed(old, "proxy.example port 8080") { $0.mayUseProxy = true },
        failed(new, "proxy.example port 8080") {
          $0.mayUseProxy = true
          $0.usesProxy = true
        }, failed(new) { $0.connectStatus = 502 })
      expect(
        .proxyAuthenticationRequired, for: code, failed(old) { $0.connectStatus = 407 },
        failed(new) { $0.connectStatus = 407 })
    }
    // Without a text that names it, the origin of a report is unknown.
    expect(
      .connectionRefused, for: CURLE_COULDNT_CONNECT,
      failed(old) {
        $0.mayUseProxy = true
        $0.origin = nil
      })
  }

  @Test func `failures of TLS`() {
    func expectTLS(
      _ failure: TransportError.TLSFailure, _ text: String = "", verification: Int = 0,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      for code in [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR] {
        expect(
          .tls(failure), for: code, report(text, scheme: .https) { $0.verification = verification },
          sourceLocation: sourceLocation)
      }
    }
    for code in [9, 10] { expectTLS(.certificateExpired, verification: code) }
    expectTLS(.selfSigned, verification: 18)
    for code in [2, 19, 20, 21, 24, 27] { expectTLS(.unknownAuthority, verification: code) }
    for text in [
      "SSL: no alternative certificate subject name matches target host name 'localhost'",
      "SSL: certificate subject name 'other' does not match target host name 'localhost'",
    ] {
      expectTLS(.wrongHost, text)
    }
    for text in [
      "error:0A00042E:SSL routines::tlsv1 alert protocol version",
      "error:0A000102:SSL routines::unsupported protocol",
      "error:0A00018C:SSL routines::version too low",
    ] {
      expectTLS(.protocolVersion, "TLS connect error: " + text)
    }
    expectTLS(.handshake, "error:0A00010B:SSL routines::wrong version number")
    expectTLS(.handshake)
    expect(.tls(.certificateRequired), for: CURLE_SSL_CLIENTCERT, report(scheme: .https))
  }

  @Test func `an attempt after a kept connection has ended does not tell what became of it`() {
    for code in [
      CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_COULDNT_CONNECT,
      CURLE_OPERATION_TIMEDOUT, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR,
    ] {
      expect(.connectionReset, for: code, sent())
      let error = sent("Couldn't connect") {
        $0.isSent = false
        $0.wasSent = true
      }.error(for: code)
      #expect(error.phase == .awaitingHead)
      #expect(error.detail.hasPrefix("a kept connection ended before the response"))
      #expect(error.detail.hasSuffix(": Couldn't connect"))
      #expect(sent { $0.isSent = false }.error(for: code).phase == .sending)
    }
  }

  // MARK: - The response

  @Test func `failures of a response over HTTP/1`() {
    let cut = sent { $0.isHeadEmpty = false }
    let body = sent {
      $0.isHeadEmpty = false
      $0.hasHead = true
    }
    expect(.emptyReply, for: CURLE_GOT_NOTHING, sent())
    expect(.truncatedHead, for: CURLE_GOT_NOTHING, cut)
    expect(.emptyReply, for: CURLE_PARTIAL_FILE, sent())
    expect(.truncatedHead, for: CURLE_PARTIAL_FILE, cut)
    expect(.truncatedBody, for: CURLE_PARTIAL_FILE, body)
    for code in [CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR] {
      func said(_ text: String, _ report: CurlReport) -> CurlReport {
        var report = report
        report.text = text
        return report
      }
      expect(.connectionReset, for: code, sent("Recv failure: Connection reset by peer"), sent())
      expect(
        .headTooLarge, for: code, said("Out of memory in chunked-encoding", body),
        sent("Too large response headers: 307201 > 307200"))
      let alert = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required"
      expect(.tls(.certificateRequired), for: code, sent(alert))
      let eof = "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading"
      expect(.emptyReply, for: code, said(eof, sent()))
      expect(.truncatedHead, for: code, said(eof, cut))
      expect(.truncatedBody, for: code, said(eof, body))
    }
    expect(
      .invalidLength, for: CURLE_WEIRD_SERVER_REPLY, sent("Invalid Content-Length: value"))
    expect(.malformedHead, for: CURLE_WEIRD_SERVER_REPLY, sent("Nul byte in header"), sent())
    expect(.malformedHead, for: CURLE_UNSUPPORTED_PROTOCOL, sent())
    expect(.malformedHead, for: CURLE_BAD_FUNCTION_ARGUMENT, sent())
    expect(.badChunk, for: CURLE_BAD_FUNCTION_ARGUMENT, body)
    expect(.other, for: CURLE_BAD_FUNCTION_ARGUMENT, report())
    expect(.unsupportedTransferCoding, for: CURLE_BAD_CONTENT_ENCODING, sent())
    expect(.headTooLarge, for: ccurl_code_too_large, sent())
    expect(.other, for: CURLE_WRITE_ERROR, sent(), body)
  }

  @Test func `libcurl has no memory for a long field, or none at all`() {
    expect(.headTooLarge, for: CURLE_OUT_OF_MEMORY, sent("Out of memory"))
    expect(.other, for: CURLE_OUT_OF_MEMORY, report(), sent { $0.hasHead = true })
    #expect(
      sent("Out of memory").error(for: CURLE_OUT_OF_MEMORY).detail
        == "a field is longer than \(CurlLibrary.current.description) accepts")
    #expect(report("Out of memory").error(for: CURLE_OUT_OF_MEMORY).detail == "Out of memory")
    #expect(report().error(for: CURLE_OUT_OF_MEMORY).detail == "Out of memory")
    #expect(report("no").error(for: CURLE_COULDNT_CONNECT).detail == "no")
  }

  // MARK: - HTTP/2

  @Test func `failures of a stream`() {
    let text = "HTTP/2 stream 1 was not closed cleanly"
    for code in [CURLE_HTTP2, CURLE_HTTP2_STREAM] {
      expect(.protocolViolation, for: code, sent(text), sent(text) { $0.resetCode = 1 })
      expect(
        TransportError.Kind(streamError: 11), for: code, sent(text) { $0.resetCode = 11 })
    }
    expect(
      .connectionReset, for: CURLE_HTTP2, sent(text) { $0.isUnprocessed = true },
      sent(text) { $0.resetCode = 7 }, sent(), sent("Send failure: Broken pipe"))
    expect(
      .connectionReset, for: CURLE_ABORTED_BY_CALLBACK, sent { $0.isUnprocessed = true },
      sent { $0.resetCode = 7 })
    expect(.other, for: CURLE_ABORTED_BY_CALLBACK, sent())
    #expect(TransportError.Kind(streamError: 11) == .connectionReset)
    expect(TransportError.Kind(streamError: 2), for: CURLE_HTTP2, sent(text) { $0.resetCode = 2 })
  }

  @Test func `the codes of a connection that has ended`() {
    for (code, resetCode, hasEnded) in [
      (CURLE_GOT_NOTHING, nil, true), (CURLE_PARTIAL_FILE, nil, true),
      (CURLE_RECV_ERROR, nil, true), (CURLE_SEND_ERROR, nil, true), (CURLE_HTTP2, nil, true),
      (CURLE_GOT_NOTHING, 1, true), (CURLE_HTTP2, 1, false), (CURLE_HTTP2_STREAM, nil, false),
      (CURLE_WRITE_ERROR, nil, false),
    ] as [(CURLcode, UInt32?, Bool)] {
      let report = sent { $0.resetCode = resetCode }
      #expect(report.isFromEndedConnection(code) == hasEnded, "\(code), \(resetCode ?? 0)")
    }
  }

  @Test func `GOAWAY says which side violated the protocol`() {
    for code in [CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_HTTP2] {
      expect(.protocolViolation, for: code, multiplexed("x", goAway: 1))
      let error = multiplexed("x", goAway: 1).error(for: code)
      #expect(error.detail == "the server ended the connection with error 1")
    }
    // What the server said about the stream or the request counts more.
    expect(
      .connectionReset, for: CURLE_HTTP2, multiplexed("x", goAway: 1) { $0.isUnprocessed = true })
    expect(.emptyReply, for: CURLE_GOT_NOTHING, multiplexed("x", goAway: 1) { $0.resetCode = 8 })
    expect(.other, for: CURLE_WRITE_ERROR, multiplexed("x", goAway: 1))

    // An orderly end, which 8.23 reports like a violation.
    let orderly = multiplexed("HTTP/2 connection closed", goAway: 0)
    expect(.emptyReply, for: CURLE_HTTP2, orderly)
    #expect(
      orderly.error(for: CURLE_HTTP2).detail == "the server ended the connection without a response"
    )
    var later = orderly
    later.hasHead = true
    expect(.protocolViolation, for: CURLE_HTTP2, later, multiplexed("x"))
  }

  @Test func `nghttp2 rejects a frame`() {
    let said = "nghttp2 shuts down connection with error 1: PROTOCOL_ERROR"
    for code in [CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE] {
      // 7.88 closes the connection, and says nothing.
      expect(.protocolViolation, for: code, multiplexed(), multiplexed(goAway: 0))
      expect(.headTooLarge, for: code, multiplexed { $0.connection?.hasLargeFields = true })
      #expect(multiplexed().error(for: code).detail == "nghttp2 rejected a frame of the server")
      // The server has closed it.
      expect(.emptyReply, for: code, multiplexed { $0.connection?.isEnded = true })
    }
    expect(
      .protocolViolation, for: CURLE_HTTP2, multiplexed(said), multiplexed(said, goAway: 0))
    expect(
      .protocolViolation, for: CURLE_RECV_ERROR,
      multiplexed("nghttp2_session_mem_recv() returned -905:Too many CONTINUATION frames"),
      multiplexed("nghttp2 recv error -905: Too many CONTINUATION frames"))
    expect(
      .headTooLarge, for: CURLE_HTTP2,
      multiplexed(said, goAway: 0) {
        $0.connection?.isEnded = true
        $0.connection?.hasLargeFields = true
      })
    expect(.connectionReset, for: CURLE_RECV_ERROR, multiplexed("Connection reset by peer"))
  }
}
