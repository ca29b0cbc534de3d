import TransportPort

extension CurlHandle {
  /// The state of the response.
  struct Incoming {
    /// The head, until it is delivered.
    var head: CurlTransfer.Head?
    var hasHead = false
    var informational: [HTTPResponse] = []
    var framing: HTTPBodyFraming?
    /// The number of content bytes received.
    var received = 0
    var chunkValidator: ChunkedBodyValidator?
    var trailers: HTTPFieldSection?
    /// Whether libcurl holds content that the write callback did not accept.
    var isPaused = false
    /// Whether content is received although the reader has not taken what came before: see `receiveRest()`.
    var isResumedAtEnd = false
    /// Whether the write callback refuses all content, because the transfer has ended.
    var refusesContent = false
    /// Whether libcurl reads the content without passing it to the write callback.
    var isDiscardedByLibcurl = false
    /// Whether the next line is the first field line after a status line.
    var isAtFirstField = false
    /// Whether the response was received over HTTP/2.
    var isMultiplexed = false
    /// Whether the head announces trailer fields.
    var announcesTrailers = false
    /// Whether the whole declared content has arrived over HTTP/2, and the loop waits for the stream's end.
    var isEndAwaited = false
    /// Whether the peer's `close_notify` was received; `nil` if unknown.
    var hasReceivedCloseNotify: Bool?
    /// Whether Content-Length precedes a transfer coding other than chunked.
    var isLengthFirst = false
  }
}

// Judges whether a response is complete, where libcurl does not report it or its versions differ.
extension CurlHandle.Incoming {
  /// Whether all of the content was received, as far as its framing tells before the connection ends.
  var hasWholeContent: Bool {
    switch framing {
    case .some(.none): true
    case .length(let length): received == length
    case .chunked, .untilClose, nil: chunkValidator?.isComplete == true
    }
  }

  /// The reason why the content may be incomplete although libcurl has ended the transfer; `nil` if it is
  /// complete.
  ///
  /// - Parameters:
  ///   - isStreamComplete: Whether the server has ended the HTTP/2 stream, and all of it was received.
  ///   - isRepeated: Whether libcurl was kept from resending the request.
  ///   - isSecure: Whether the connection uses TLS.
  func incompleteness(
    isStreamComplete: Bool, isRepeated: Bool, isSecure: Bool, library: CurlLibrary = .current
  ) -> String? {
    if let chunkValidator, !chunkValidator.isComplete {
      return "the connection ended before the last chunk"
    }
    if case .length(let length) = framing, received != length {
      return isRepeated && received == 0
        ? "\(library.description) discards the content of this response"
        : "\(received) content bytes were received instead of \(length)"
    }
    if isLengthFirst, !library.overridesEarlierLength {
      return """
        Content-Length precedes Transfer-Encoding, and \(library.description) stops reading at that \
        length, so the body may be truncated
        """
    }
    guard framing == .untilClose else { return nil }
    if isMultiplexed {
      return isStreamComplete
        ? nil : "the stream ended without END_STREAM, so the body is incomplete"
    }
    guard isSecure else { return nil }
    return switch hasReceivedCloseNotify {
    case true?: nil
    case false?: "the connection ended without close_notify, so the body may be truncated"
    case nil:
      """
      the body ends with the connection, and \(library.description) does not report close_notify, so \
      the body may be truncated; use libcurl built with OpenSSL, or a server that sends Content-Length
      """
    }
  }
}
