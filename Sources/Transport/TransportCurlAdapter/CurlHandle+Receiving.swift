import CCurl
import TransportPort

// Receiving: the callbacks through which libcurl delivers a response.
extension CurlHandle {
  /// Whether libcurl has the use-after-free of curl/curl#11101, which affects versions up to 8.1.0.
  ///
  /// Such a libcurl joins a first field line that starts with a space to the last field of the
  /// previous transfer, whose memory it has freed.
  static let hasFoldUseAfterFree = CurlLibrary.current.version < 0x08_01_01

  /// Handles a line of a head or of the trailers.
  ///
  /// - Returns: Whether the transfer continues.
  func receive(line bytes: UnsafeRawBufferPointer) -> Bool {
    // libcurl 8.23 also passes on a line that the end of the connection cut off.
    guard bytes.last == UInt8(ascii: "\n") else { return true }
    ignoreLength(after: bytes)
    if !incoming.isAtFirstField, headCache.consumeIfCached(bytes) { return true }
    if Self.hasFoldUseAfterFree, !incoming.hasHead { traceFirstField() }
    do throws(TransportError) {
      if incoming.hasHead {
        if incoming.chunkValidator == nil { try receive(trailer: Array(bytes)[...]) }
      } else {
        if offersHTTP2, bytes.starts(with: "HTTP/2".utf8) || bytes.starts(with: "HTTP/3".utf8) {
          // libcurl synthesizes this line for HTTP/2, but accepts it from an HTTP/1.1 peer as well.
          guard speaksHTTP2 != false else {
            throw error(.malformedHead, "the server sent an HTTP/2 status line over HTTP/1.1")
          }
          // With a length libcurl stops at the last byte and ignores trailers; `ending(_:)` checks
          // the length instead.
          ignoresLength = true
        }
        // Also with empty content, whose end libcurl 8.14 may not have noted.
        if headCache.isEmpty, framing != .some(.none), !waitsForContinue {
          uploadsAfterError = true
        }
        if let head = try headCache.consume(bytes) { try complete(head) }
      }
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Whether no content was sent, because the server was asked for 100 Continue and has not sent it.
  private var waitsForContinue: Bool {
    outgoing.sent == 0 && transfer?.wire.headerFields.contains(.expect) == true
      && !incoming.informational.contains { $0.status.code == 100 }
  }

  /// Makes libcurl ignore a Content-Length that follows Transfer-Encoding (RFC 9112 §6.3).
  ///
  /// libcurl does so itself for chunked, but libcurl 8.14 obeys the length after other codings.
  private func ignoreLength(after line: UnsafeRawBufferPointer) {
    guard let first = line.first, first | 0x20 == UInt8(ascii: "t"), !incoming.hasHead else {
      return
    }
    let name = "transfer-encoding:".utf8
    guard line.count > name.count, zip(line, name).allSatisfy({ $0 | 0x20 == $1 }) else { return }
    ignoresLength = true
  }

  /// Enables libcurl's trace for the line after a status line.
  ///
  /// The trace callback receives the line before libcurl stores it, which is the only point where
  /// ``rejectFoldedFirstField(_:)`` can prevent the use-after-free.
  private func traceFirstField() {
    let wasAtFirstField = incoming.isAtFirstField
    incoming.isAtFirstField = headCache.isEmpty
    guard incoming.isAtFirstField != wasAtFirstField, !offersHTTP2 else { return }
    isTraced = incoming.isAtFirstField
  }

  /// Prevents the use-after-free of ``hasFoldUseAfterFree``.
  ///
  /// - Parameter line: The line in libcurl's buffer. Its leading space becomes a colon, so that
  ///   libcurl reads it as a field without a name instead of a continuation, and fails.
  func rejectFoldedFirstField(_ line: UnsafeMutableRawBufferPointer) {
    guard Self.hasFoldUseAfterFree, incoming.isAtFirstField, let first = line.first,
      first == 0x20 || first == 0x09
    else { return }
    line[0] = UInt8(ascii: ":")
  }

  /// Handles content.
  ///
  /// - Returns: The result of the write callback: the count, 0 to fail, or `CURL_WRITEFUNC_PAUSE`.
  func receive(content bytes: UnsafeRawBufferPointer) -> Int {
    guard let transfer, incoming.hasHead, failure == nil, !incoming.refusesContent else {
      return 0
    }
    let isFull = content.count + bytes.count > Self.chunkSize
    if isFull {
      needsDelivery = true
      deliver()
      if !incoming.isResumedAtEnd, transfer.pausesReading() {
        incoming.isPaused = true
        outgoing.connection?.tap?.mayReadAhead = false
        return Int(CURL_WRITEFUNC_PAUSE)
      }
    }
    if content.isEmpty { content = makeBuffer(for: bytes.count, of: transfer) }
    if content.capacity - content.count < bytes.count, incoming.framing != .length(bytes.count) {
      content.reserveCapacity(Self.chunkSize)
    }
    content.append(contentsOf: bytes)
    incoming.received += bytes.count
    setNeedsDelivery()
    if incoming.isMultiplexed, incoming.framing == .length(incoming.received),
      !incoming.isEndAwaited
    {
      incoming.isEndAwaited = true
      loop.noteContentEnd(of: self)
    }
    if incoming.isMultiplexed, let connection = outgoing.connection {
      loop.readNextRecord(of: connection)
    }
    return bytes.count
  }

  /// Returns an empty buffer for content that begins with `count` bytes.
  ///
  /// A small response gets the buffer of the previous response or one of exactly its size; larger
  /// ones get buffers that the reader has returned. Without either, the array grows on demand.
  private func makeBuffer(for count: Int, of transfer: CurlTransfer) -> [UInt8] {
    if incoming.received > 0, let buffer = transfer.takeBuffer() { return buffer }
    var size = Self.smallChunkSize
    if case .length(let length) = incoming.framing { size = length }
    guard count <= size, size <= Self.smallChunkSize else { return [] }
    var buffer: [UInt8] = []
    swap(&buffer, &recycledContent)
    guard (size...2 * size).contains(buffer.capacity) else {
      buffer = []
      buffer.reserveCapacity(size)
      return buffer
    }
    // If the reader still holds the array, this allocates new memory instead of clearing it.
    buffer.removeAll(keepingCapacity: true)
    return buffer
  }

  /// Handles bytes after the head as received, before libcurl removes the chunk framing.
  func receive(raw bytes: UnsafeRawBufferPointer) {
    guard failure == nil, incoming.chunkValidator != nil || incoming.isDiscardedByLibcurl else {
      return
    }
    do throws(TransportError) {
      let bytes = Array(bytes)
      try incoming.chunkValidator?.consume(bytes)
      if incoming.chunkValidator?.hasSurplus == true { closeUnlessShared() }
      if incoming.isDiscardedByLibcurl {
        try receive(discarded: incoming.chunkValidator?.content ?? bytes)
      }
    } catch {
      failure = transfer?.wire.error(
        error.kind, phase: .receivingBody, bytesSent: true, detail: error.detail)
      closeUnlessShared()
      setNeedsDelivery()
    }
  }

  /// Delivers content that libcurl discards.
  ///
  /// libcurl cannot be paused here, so the transfer fails if the reader is too slow.
  private func receive(discarded content: [UInt8]) throws(TransportError) {
    var rest = content.count
    if case .length(let length) = incoming.framing {
      rest = min(rest, length - incoming.received)
    }
    guard content[..<rest].withUnsafeBytes({ receive(content: $0) }) == rest else {
      throw TransportError(
        .responseTooLarge(limit: CurlTransfer.highWater), phase: .receivingBody, bytesSent: true,
        detail: "the content of a 417 response arrives too fast; libcurl cannot pause it")
    }
  }

  /// Handles a line of libcurl's trace.
  ///
  /// The trace is enabled only where libcurl reports something in no other way: while HTTP/2 is
  /// possible, and after heads whose content libcurl handles without a callback.
  func receive(trace line: UnsafeRawBufferPointer) {
    // libcurl also discards the content of a 417 response, because it intends to resend the
    // request.
    if incoming.hasHead, line.starts(with: "Ignoring the response-body") {
      incoming.isDiscardedByLibcurl = true
    }
    // lib/transfer.c skips bytes after a response without content and keeps the connection, so that
    // they could become the next response.
    if incoming.hasHead, line.starts(with: "Excess found") { closeUnlessShared() }
    guard offersHTTP2 else { return }
    // Until libcurl has the next connection, it may trace what it reads from others.
    if line.starts(with: "Connection died, retrying"), !hasEarlyResponse {
      leaveConnection()
    }
    if let stream = OpenedStream.number(in: line) {
      outgoing.stream = stream
      outgoing.connection?.tap?.streams.follow(stream)
      if hasContent { outgoing.connection?.tap?.streams.retainsParts = true }
    }
  }

  /// Acts on the progress callback, which libcurl calls each time that it has run the transfer.
  func noteProgress() {
    if let connection = outgoing.connection, connection.tap != nil {
      loop.readNextRecord(of: connection)
    } else {
      recordCloseNotify()
    }
  }

  /// Records whether the peer's `close_notify` was received.
  ///
  /// libcurl takes the end of the TCP connection for the end of TLS, so an attacker could truncate
  /// a body that ends with the connection (RFC 9112 §9.8). The progress callback calls this
  /// repeatedly; the last call is after libcurl has read everything.
  private func recordCloseNotify() {
    guard configuration.queriesOpenSSL, let session = ccurl_openssl_session(easy) else { return }
    incoming.hasReceivedCloseNotify = OpenSSL.shared?.hasReceivedCloseNotify(session)
  }

  /// Handles a trailer line of an HTTP/2 response; HTTP/1.1 trailers are in the chunked body.
  private func receive(trailer line: ArraySlice<UInt8>) throws(TransportError) {
    var section = incoming.trailers ?? HTTPFieldSection(limits: options.headLimits)
    do throws(TransportError) { _ = try section.consume(line: line) } catch {
      throw transfer?.wire.error(
        error.kind == .headTooLarge ? .headTooLarge : .badChunk, phase: .receivingBody,
        bytesSent: true, detail: error.detail) ?? error
    }
    incoming.trailers = section
  }

  /// Handles a complete head.
  private func complete(_ complete: HeadCache.Head) throws(TransportError) {
    guard let transfer else { return }
    incoming.isMultiplexed = complete.version == .multiplexed
    if incoming.isMultiplexed {
      loop.noteMultiplexing(of: lane)
    }
    if complete.isInformational {
      guard incoming.informational.count < options.headLimits.informational else {
        throw transfer.wire.error(
          .tooManyInformational, phase: .awaitingHead, bytesSent: true,
          detail: "the server sent more than \(options.headLimits.informational) interim responses")
      }
      incoming.informational.append(complete.response)
      headCache.beginNext()
      // On an interim response other than 100, libcurl restarts its wait for 100 without a timer.
      if transfer.wire.headerFields.contains(.expect) {
        transfer.resumeDriver(after: options.continueTimeout)
      }
      return
    }
    if loop.lastHead !== complete { loop.lastHead = complete }
    incoming.framing = complete.framing
    incoming.isLengthFirst = complete.isLengthFirst
    if incoming.framing == .chunked {
      // From now on the trace callback receives the bytes before libcurl removes the chunk framing.
      incoming.chunkValidator = try ChunkedBodyValidator(limits: options.headLimits)
      isTraced = true
    }
    incoming.announcesTrailers = complete.announcesTrailers
    if !incoming.isMultiplexed {
      if !complete.keepsConnectionAlive { closeUnlessShared() }
      // The trace reports bytes after a response without content.
      if incoming.framing == .some(.none) || incoming.framing == .length(0) {
        isTraced = true
      }
    }
    // The trace reports that libcurl discards the content; see `receive(trace:)`.
    if complete.status == 417, !incoming.isMultiplexed { isTraced = true }
    // Enables the progress callback, and with it `recordCloseNotify()`.
    if incoming.framing == .untilClose, !incoming.isMultiplexed,
      transfer.wire.origin.scheme == .https
    {
      reportsProgress = true
    }
    incoming.hasHead = true
    incoming.head = CurlTransfer.Head(
      final: complete, informational: incoming.informational)
    setNeedsDelivery()
  }
}

// The end of a transfer.
extension CurlHandle {
  /// Whether the server reset the stream with NO_ERROR.
  ///
  /// libcurl 7.88 does not end a transfer then whose upload is paused.
  var isReset: Bool { stream?.resetCode == 0 }

  /// Whether the server has sent a whole response, and asks for no more content.
  ///
  /// A server that has responded to a request without reading all of its content asks the client
  /// to stop with RST_STREAM and NO_ERROR (RFC 9113 §8.1).
  var hasEarlyResponse: Bool { hasContent && isReset && stream?.isEnded == true }

  /// Determines how the transfer ended from libcurl's code and the recorded state.
  func ending(_ code: CURLcode) -> CurlTransfer.Ending {
    if let failure { return .failed(failure) }
    let isRecovered = recoverResponse()
    if let failure { return .failed(failure) }
    guard code == CURLE_OK || outgoing.isRepeated || isRecovered || isDelivered(before: code) else {
      return .failed(report.error(for: code))
    }
    guard incoming.hasHead else {
      let report = report
      return .failed(
        report.error(report.endedHeadKind, "the connection ended before the head was complete"))
    }
    if let detail = incoming.incompleteness(
      isStreamComplete: isStreamComplete, isRepeated: outgoing.isRepeated,
      isSecure: transfer?.wire.origin.scheme == .https)
    {
      return .failed(error(.truncatedBody, detail))
    }
    guard recoverTrailers() else { return .failed(failure ?? report.error(for: code)) }
    return .complete(
      trailers: incoming.chunkValidator?.trailers ?? incoming.trailers?.fields ?? HTTPFields())
  }

  /// Whether the transfer can end now: it has failed, or the response is complete although the
  /// request was not sent completely.
  var isOver: Bool {
    if failure != nil { return true }
    return incoming.hasHead && !isSent && incoming.hasWholeContent
  }

  /// The time that the end of a stream may take after its declared content.
  static let endGrace = Duration.milliseconds(100)

  /// Whether the transfer may end after ``endGrace`` although libcurl has not reported the end of the
  /// stream.
  ///
  /// `on_data_chunk_recv` in lib/http2.c of libcurl 7.88 pauses nghttp2 if the buffer of another
  /// stream is full. If the chunk was the last of its frame and of the bytes that were read,
  /// nghttp2 handles the frame's END_STREAM in its next call, and libcurl calls it only when the
  /// connection receives more. After the last response that does not happen.
  ///
  /// Trailer fields that come later than the grace are lost if the head does not announce them
  /// (RFC 9110 §6.6.2).
  var mayEndEarly: Bool {
    failure == nil && !incoming.announcesTrailers && incoming.isEndAwaited
  }

  /// Whether the server has ended its side of the stream, and libcurl has delivered all content.
  ///
  /// libcurl also reports a stream as complete that ended with RST_STREAM and NO_ERROR, or with
  /// GOAWAY (RFC 9113 §8.1).
  private var isStreamComplete: Bool {
    stream.map { $0.isEnded && $0.contentCount == incoming.received } ?? false
  }

  /// Whether libcurl had delivered the whole stream when the connection ended, or when it gave up the stream.
  ///
  /// libcurl may notice the end of the connection before that of the stream, for example when it sends
  /// WINDOW_UPDATE. 8.21 may reset the stream of an early response by itself, before the server does.
  /// Over HTTP/1.1 it may notice the end when it sends content after a complete response.
  private func isDelivered(before code: CURLcode) -> Bool {
    if !incoming.isMultiplexed {
      return report.isFromEndedConnection(code) && incoming.hasHead && incoming.hasWholeContent
    }
    let isOfStream = code == CURLE_HTTP2_STREAM && stream?.resetCode == nil
    return (report.isFromEndedConnection(code) || isOfStream) && incoming.hasHead
      && isStreamComplete && (stream?.hasTrailers == false || incoming.trailers != nil)
  }

  /// Lets a tap forget what this transfer has received.
  func forgetReceivedParts(_ tap: HTTP2Tap) {
    guard hasContent, incoming.hasHead, let stream = outgoing.stream else { return }
    tap.streams.forgetParts(of: stream, content: incoming.received)
  }

  /// Receives what libcurl 7.88 loses of an early response, because it read RST_STREAM before it had passed
  /// all on.
  ///
  /// - Returns: Whether the response is now complete.
  private func recoverResponse() -> Bool {
    guard let stream, hasEarlyResponse, failure == nil else { return false }
    if incoming.hasHead, isStreamComplete { return true }
    let blocks = incoming.informational.count + (incoming.hasHead ? 1 : 0)
    for part in stream.parts(afterBlocks: blocks, content: incoming.received) ?? [] {
      switch part {
      case .content(let bytes):
        guard bytes.withUnsafeBytes({ receive(content: $0) }) == bytes.count else { return false }
      case .fields(let fields):
        guard fields.allSatisfy(receive(field:)) else { return false }
        if !incoming.hasHead, !receive(text: "\r\n") { return false }
      }
    }
    return incoming.hasHead && isStreamComplete
  }

  /// Receives the trailer fields that libcurl 7.88 loses if it reads RST_STREAM or GOAWAY with them.
  ///
  /// - Returns: Whether the fields are valid.
  private func recoverTrailers() -> Bool {
    guard incoming.isMultiplexed, incoming.trailers == nil, let stream, stream.isEnded else {
      return true
    }
    return stream.trailers.allSatisfy(receive(field:))
  }

  private func receive(field: HPACKDecoder.Field) -> Bool {
    let (name, value) = (
      String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self)
    )
    return receive(text: name == ":status" ? "HTTP/2 \(value) \r\n" : "\(name): \(value)\r\n")
  }

  private func receive(text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { receive(line: $0) }
  }
}
