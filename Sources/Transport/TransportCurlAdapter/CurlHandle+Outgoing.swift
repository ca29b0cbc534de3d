import CCurl
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// The way there: what libcurl asks for, and what it may do.
extension CurlHandle {
  /// How far a request has come.
  struct Outgoing {
    /// How many bytes of content libcurl has taken.
    var sent = 0
    /// Whether the producer of the content has ended.
    var isUploaded = false
    /// Whether libcurl waits for the producer of the content.
    var isStarved = false
    /// How often the request went to a connection.
    var attempts = 0
    /// The local port of the connection, and the number of the stream on it.
    var port: Int32 = 0
    var stream: Int?
    /// Whether the server has said that it did nothing about the request.
    var isUnprocessed = false
    /// Whether libcurl would send the request again although it was answered.
    var isRepeated = false
  }

  /// Decides whether a request may go to the wire.
  ///
  /// A kept connection that has something to read before anything was asked is of no use: either it
  /// has ended, or what came would pass for the response. Nothing was sent on it, so that the
  /// request can go on a fresh one, whatever its method.
  ///
  /// libcurl sends a request again, on its own, when a kept connection turns out to be dead or the
  /// server has not taken it on. In the first case a method that is not idempotent may repeat its
  /// effect (RFC 9110 §9.2.2), and in both a body that was begun may be gone, so these are refused.
  ///
  /// - Parameter localPort: The local port of the connection that libcurl chose.
  func allowsAttempt(localPort: Int32) -> Bool {
    let socket = loop.sockets.socket(atPort: localPort)
    guard let transfer else { return false }
    if incoming.hasHead {
      // After 417 libcurl tries without Expect, whatever the method.
      outgoing.isRepeated = true
      return false
    }
    if outgoing.attempts == 0, isStale(socket) {
      needsFreshConnection = true
      return false
    }
    outgoing.attempts += 1
    outgoing.port = localPort
    outgoing.stream = nil
    // Only here, since a connection that is opened while libcurl traces is traced for good.
    if offersHTTP2 { ccurl_set_long(easy, CURLOPT_VERBOSE, 1) }
    guard outgoing.attempts > 1 else { return true }
    guard transfer.wire.method.isIdempotent || outgoing.isUnprocessed,
      transfer.content != nil || outgoing.sent == 0
    else {
      let wire = transfer.wire
      var error = wire.error(
        .connectionReset, phase: .awaitingHead, bytesSent: true,
        detail: "a kept connection ended before the response, and \(wire.method) is not sent again")
      error.isRetrySafe = error.isRetrySafe || outgoing.isUnprocessed
      failure = error
      return false
    }
    outgoing.isUnprocessed = false
    return true
  }

  /// Whether a kept connection is at its end or has unasked bytes.
  ///
  /// Where HTTP/2 is possible, frames may come at any time, so that nothing can be told.
  private func isStale(_ socket: Int32?) -> Bool {
    guard let socket, !offersHTTP2, options.reusesConnections,
      ccurl_long(easy, CURLINFO_NUM_CONNECTS) == 0
    else { return false }
    var look = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, 0) != 0
  }

  /// Gives content of the request.
  ///
  /// - Returns: What the read callback returns: the count, or a wish to pause.
  func supply(_ space: UnsafeMutableRawBufferPointer) -> Int {
    if let bytes = transfer?.content {
      let piece = bytes[outgoing.sent...].prefix(space.count)
      piece.withUnsafeBytes { space.copyMemory(from: $0) }
      outgoing.sent += piece.count
      return piece.count
    }
    guard let upload = transfer?.upload else { return Int(CURL_READFUNC_ABORT) }
    switch upload.copy(into: space) {
    case .copied(let count):
      outgoing.sent += count
      return count
    case .pending:
      outgoing.isStarved = true
      loop.starve(self)
      return Int(CURL_READFUNC_PAUSE)
    case .ended:
      outgoing.isUploaded = true
      return 0
    }
  }

  /// Starts the content again, for a second attempt.
  ///
  /// - Returns: Whether that is possible.
  func rewind(to offset: Int) -> Bool {
    guard let bytes = transfer?.content, (0...bytes.count).contains(offset) else {
      return outgoing.sent == offset
    }
    outgoing.sent = offset
    return true
  }

  /// The fields to send after the content.
  func trailerList(_ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>) {
    for field in transfer?.upload?.trailers ?? [:] {
      list.pointee = Self.append(field, emptyMark: [0x3A, 0x20], to: list.pointee)
    }
  }

  /// Whether a connection has ended on which libcurl waits for content to send, and for nothing else.
  var isCutWhileStarved: Bool {
    guard outgoing.isStarved, !incoming.isMultiplexed, speaksHTTP2 != true,
      let socket = loop.sockets.socket(atPort: outgoing.port)
    else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// Notes that the server takes no stream of a connection after one.
  func goAway(_ port: Int32, lastStream: Int) {
    guard port == outgoing.port, !incoming.hasHead, let stream = outgoing.stream,
      stream > lastStream
    else { return }
    outgoing.isUnprocessed = true
  }

  /// Whether any byte of the request may have reached the wire.
  var bytesSent: Bool {
    outgoing.attempts > 0
      && (outgoing.attempts > 1 || ccurl_long(easy, CURLINFO_REQUEST_SIZE) > 0 || outgoing.sent > 0)
  }

  /// Whether the request was given to the system as a whole, as far as is known.
  var isSent: Bool {
    guard bytesSent else { return false }
    switch framing {
    case .length(let length): return outgoing.sent >= length
    case .chunked: return outgoing.isUploaded || transfer?.content?.isEmpty == true
    case .some(.none), nil: return true
    }
  }
}
