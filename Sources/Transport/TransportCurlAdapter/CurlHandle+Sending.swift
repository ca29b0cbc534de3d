import CCurl
import Foundation
import SystemPlatform
import TransportPort

// Sending: the callbacks through which libcurl asks for content and for permission to send.
extension CurlHandle {
  /// Decides whether libcurl may send the request on the connection that it chose.
  ///
  /// A kept connection that is readable before a request is sent is unusable: it was closed, or the
  /// bytes would be taken for the response. Nothing was sent, so the request goes to a new
  /// connection whatever its method.
  ///
  /// Before its settings have arrived, a server gets one request only. libcurl would send a hundred. A
  /// server that allows fewer refuses the others, or even ends the connection (RFC 9113 §5.1.2), and the
  /// part of a streamed body that was sent is lost.
  ///
  /// libcurl resends a request without asking if a kept connection turns out to be dead or the
  /// server did not process it. A dead connection may have delivered the request, so resending a
  /// method that is not idempotent could repeat its effect (RFC 9110 §9.2.2). In both cases a
  /// streamed body that was partly read cannot be resent. This method refuses both.
  ///
  /// - Parameter connection: The connection that libcurl chose.
  func allowsAttempt(on connection: CurlConnection?) -> Bool {
    guard let transfer else { return false }
    if incoming.hasHead {
      // libcurl resends the request without Expect after a 417 response, whatever the method.
      outgoing.isRepeated = true
      return false
    }
    // libcurl takes the reset of a stream for the end of its connection, and sends the request again.
    if hasEarlyResponse { return false }
    // At once: a check of an idle connection by libcurl would read the first frames.
    if let connection, speaksHTTP2 == true, let session = ccurl_openssl_session(easy) {
      loop.connections.tap(connection, session)
    }
    if let connection, isStale(connection) {
      outgoing.staleConnections += 1
      needsFreshConnection = true
      // Otherwise libcurl would offer an idle HTTP/2 connection again.
      closeUnlessShared()
      return false
    }
    if outgoing.isRefused { return false }
    if let connection, let tap = connection.tap, connection.users > 0, !tap.hasSettings {
      outgoing.connectionWithoutSettings = connection
      return false
    }
    outgoing.attempts += 1
    outgoing.isKeptConnection = connection?.isKept == true
    connection?.isKept = true
    use(connection)
    outgoing.stream = nil
    loop.noteConnection(of: lane)
    // Not earlier: libcurl traces a connection for its whole life if it is opened while tracing is
    // on.
    if offersHTTP2 { isTraced = true }
    reportsProgress = connection?.tap != nil
    guard outgoing.attempts > 1 else { return true }
    guard transfer.wire.method.isIdempotent || outgoing.isUnprocessed,
      repeatsContent
    else {
      var error = error(
        .connectionReset,
        "a kept connection ended before the response; \(transfer.wire.method) is not safe to resend"
      )
      error.phase = .awaitingHead
      failure = error
      return false
    }
    outgoing.isUnprocessed = false
    return true
  }

  /// Records which connection the transfer uses.
  func use(_ connection: CurlConnection?) {
    outgoing.connection?.users -= 1
    connection?.users += 1
    outgoing.connection = connection
  }

  /// Records that the last attempt is over, and what is known of it.
  func leaveConnection() {
    if isStreamRefused {
      outgoing.isRefused = true
      outgoing.isUnprocessed = true
    }
    if let stream = outgoing.stream { outgoing.connection?.tap?.streams.forget(stream) }
    use(nil)
  }

  /// What the server sent on the stream of the transfer, which libcurl may not have read yet.
  var stream: HTTP2Streams.Stream? {
    guard let stream = outgoing.stream else { return nil }
    return outgoing.connection?.tap.flatMap { $0.isBlind ? nil : $0.streams[stream] }
  }

  /// Whether the server has refused the stream (RFC 9113 §8.7).
  ///
  /// libcurl 7.88 reports that only for the first stream of a connection.
  var isStreamRefused: Bool {
    stream?.resetCode == HTTP2Streams.refused
  }

  /// Whether to send the request again although libcurl has given up.
  func mayTryAgain(_ code: CURLcode) -> Bool {
    code != CURLE_OK && failure == nil && report.allowsNextTry(after: code)
  }

  /// Resets what libcurl does not when it resends a request.
  func prepareNextTry() {
    leaveConnection()
    // A new connection, because other kept connections may have ended too.
    opensConnection = !options.reusesConnections || !outgoing.isUnprocessed
    outgoing.isRefused = false
    outgoing.staleConnections = 0
    outgoing.sent = 0
    headCache.beginNext()
    errorText[0] = 0
    // libcurl traces a connection for its whole life if it is opened while tracing is on.
    isTraced = false
  }

  /// Prepares another attempt after ``needsFreshConnection``.
  func prepareFreshConnection() {
    needsFreshConnection = false
    closesConnection = closes
    isTraced = false
    // Other kept connections may be stale too. Over HTTP/2 the first to notice opens the next
    // connection, and the others share it.
    if !offersHTTP2 || outgoing.staleConnections > 1 { opensConnection = true }
  }

  /// Returns the connection whose settings the transfer waits for, once.
  func takeConnectionWithoutSettings() -> CurlConnection? {
    guard let connection = outgoing.connectionWithoutSettings else { return nil }
    outgoing.connectionWithoutSettings = nil
    errorText[0] = 0
    return connection
  }

  /// Whether a kept connection was closed or has unexpected bytes.
  ///
  /// Over HTTP/2, where the server may send frames at any time, only the end of the connection
  /// counts, and bytes that libcurl has read and the tap has not.
  private func isStale(_ connection: CurlConnection) -> Bool {
    guard outgoing.staleConnections < 4 else { return false }
    if connection.tap?.isBlind == true { return true }
    guard connection.isKept else { return false }
    if let tap = connection.tap {
      return tap.isEnded
        || isReadable(connection, for: pollPeerEnd & ~Int16(POLLIN))
    }
    guard outgoing.attempts == 0 else { return false }
    // OpenSSL may have decrypted bytes that the previous exchange did not read.
    if transfer?.wire.origin.scheme == .https, configuration.queriesOpenSSL,
      let session = ccurl_openssl_session(easy), OpenSSL.shared?.hasUnreadBytes(session) == true
    {
      return true
    }
    return isReadable(connection, for: Int16(POLLIN))
  }

  private func isReadable(_ connection: CurlConnection, for events: Int16) -> Bool {
    var descriptor = pollfd(fd: connection.socket, events: events, revents: 0)
    return poll(&descriptor, 1, 0) != 0
  }

  /// Copies content of the request to libcurl's buffer.
  ///
  /// - Returns: The result of the read callback: the count, `CURL_READFUNC_PAUSE` if the producer
  ///   has no content yet, or `CURL_READFUNC_ABORT`.
  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if let bytes = transfer?.content {
      let piece = bytes[outgoing.sent...].prefix(buffer.count)
      piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
      outgoing.sent += piece.count
      return piece.count
    }
    guard let upload = transfer?.upload else { return Int(CURL_READFUNC_ABORT) }
    switch upload.copy(into: buffer) {
    case .copied(let count):
      outgoing.sent += count
      return count
    case .pending:
      outgoing.isWaitingForContent = true
      loop.noteWaitingForContent(self)
      return Int(CURL_READFUNC_PAUSE)
    case .ended:
      outgoing.isUploaded = true
      return 0
    }
  }

  /// Whether the content can be sent again: it is in memory, or nothing of it was taken.
  var repeatsContent: Bool { transfer?.content != nil || outgoing.sent == 0 }

  /// Moves to the start of the content, for another attempt.
  ///
  /// - Returns: Whether that succeeded; a stream of which something was taken cannot be rewound.
  func rewind() -> Bool {
    guard repeatsContent else { return false }
    if isSent { outgoing.wasSent = true }
    outgoing.sent = 0
    return true
  }

  /// Appends the fields to send after the content to libcurl's list.
  func trailerList(_ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>) {
    for field in transfer?.upload?.trailers ?? [:] {
      list.pointee = Self.append(field, emptyMark: [0x3A, 0x20], to: list.pointee)
    }
  }

  /// Whether the peer has closed the connection of a paused upload.
  ///
  /// libcurl does not watch the socket for input while an upload is paused, so the loop checks.
  var isClosedWhileWaitingForContent: Bool {
    guard outgoing.isWaitingForContent, !incoming.isMultiplexed, speaksHTTP2 != true,
      let socket = outgoing.connection?.socket
    else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// Handles GOAWAY: the server processes no stream of the connection after the given one.
  func goAway(lastStream: Int) {
    guard !incoming.hasHead, let stream = outgoing.stream, stream > lastStream else { return }
    outgoing.isUnprocessed = true
  }

  /// Whether content follows the head of the request.
  ///
  /// What libcurl has taken of it need not have left: it has buffers, and the server has windows.
  var hasContent: Bool {
    switch framing {
    case .length(let length): length > 0
    case .chunked: true
    case .some(.none), nil: false
    }
  }

  /// Whether the whole request was passed to the system, as far as libcurl reports, once it has
  /// started to send.
  var isSent: Bool {
    switch framing {
    case .length(let length): return outgoing.sent >= length
    case .chunked: return outgoing.isUploaded
    case .some(.none), nil: return true
    }
  }
}
