import CCurl
import TransportPort

// The way back: what libcurl calls with what has come of a response.
extension CurlHandle {
  /// What has come so far.
  struct Incoming {
    /// The head, until it is delivered.
    var head: CurlTransfer.Head?
    var hasHead = false
    var informational: [HTTPResponse] = []
    var framing: HTTPBodyFraming?
    /// How many bytes of content came.
    var received = 0
    var chunks: ChunkJudge?
    var trailers: HTTPFieldSection?
    /// Whether libcurl reads the content and hands none of it out.
    var isIgnored = false
    /// Whether the next line is the first after a status line.
    var isAtFirstField = false
    /// Whether the response came over HTTP/2.
    var isMultiplexed = false
    /// Whether TLS announced its end; `nil` where that is not known.
    var isEndAnnounced: Bool?
    /// Whether Content-Length came before a transfer coding other than chunks.
    var isLengthFirst = false
  }

  /// Whether libcurl remembers the last field of the transfer before, which it has freed, and joins
  /// a first field that starts with a space to it (curl/curl#11101, up to 8.1.0).
  static let remembersFreedField = CurlLibrary.current.version < 0x08_01_01

  /// Takes a line of a head or of the trailers, as it came.
  ///
  /// - Returns: Whether the transfer goes on.
  func receive(line bytes: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil else { return false }
    ignoreLength(after: bytes)
    if !incoming.isAtFirstField, heads.passesOver(bytes) { return true }
    if Self.remembersFreedField, !incoming.hasHead { watchFirstField() }
    do throws(TransportError) {
      if incoming.hasHead {
        if incoming.chunks == nil { try receive(trailer: Array(bytes)[...]) }
      } else {
        if offersHTTP2, bytes.starts(with: "HTTP/2".utf8) || bytes.starts(with: "HTTP/3".utf8) {
          // libcurl makes such a line of its own, and takes one from the wire as well.
          guard speaksHTTP2 != false else {
            throw error(.malformedHead, "a status line of HTTP/2 came over HTTP/1.1")
          }
          // Else libcurl is done with the last byte, and passes over trailers; the length is checked
          // here as well.
          ccurl_set_long(easy, CURLOPT_IGNORE_CONTENT_LENGTH, 1)
        }
        if let head = try heads.consume(bytes) { try complete(head) }
      }
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Makes libcurl ignore a Content-Length that follows Transfer-Encoding (RFC 9112 §6.3).
  ///
  /// After chunks it does so anyway, but libcurl 8.14 obeys the length after any other coding.
  private func ignoreLength(after line: UnsafeRawBufferPointer) {
    guard let first = line.first, first | 0x20 == UInt8(ascii: "t"), !incoming.hasHead else {
      return
    }
    let name = "transfer-encoding:".utf8
    guard line.count > name.count, zip(line, name).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 })
    else { return }
    ccurl_set_long(easy, CURLOPT_IGNORE_CONTENT_LENGTH, 1)
  }

  /// Has libcurl show the line after a status line before it does anything about it.
  private func watchFirstField() {
    let wasAtFirstField = incoming.isAtFirstField
    incoming.isAtFirstField = heads.isEmpty
    guard incoming.isAtFirstField != wasAtFirstField, !offersHTTP2 else { return }
    ccurl_set_long(easy, CURLOPT_VERBOSE, incoming.isAtFirstField ? 1 : 0)
  }

  /// Keeps libcurl from joining a first field to what it has freed.
  ///
  /// - Parameter line: The line in libcurl's own memory, about to be stored.
  func guardFirstField(_ line: UnsafeMutableRawBufferPointer) {
    guard Self.remembersFreedField, incoming.isAtFirstField, let first = line.first,
      first == 0x20 || first == 0x09
    else { return }
    line[0] = UInt8(ascii: ":")
    failure = error(.malformedHead, "the first field line starts with a space")
  }

  /// Takes content.
  ///
  /// - Returns: What the write callback returns: the count, an error, or a wish to pause.
  func receive(content bytes: UnsafeRawBufferPointer) -> Int {
    guard let transfer, incoming.hasHead, failure == nil else { return 0 }
    if content.count + bytes.count > Self.chunkSize {
      isTouched = true
      deliver()
      if transfer.pausesReading() { return Int(CURL_WRITEFUNC_PAUSE) }
    }
    if content.isEmpty { content = space(for: bytes.count, of: transfer) }
    if content.capacity - content.count < bytes.count, incoming.framing != .length(bytes.count) {
      content.reserveCapacity(Self.chunkSize)
    }
    content.append(contentsOf: bytes)
    incoming.received += bytes.count
    touch()
    return bytes.count
  }

  /// Memory for content of which so many bytes are there.
  private func space(for count: Int, of transfer: CurlTransfer) -> [UInt8] {
    if incoming.received > 0, let space = transfer.takeSpace() { return space }
    var size = Self.smallChunkSize
    if case .length(let length) = incoming.framing { size = length }
    guard count <= size, size <= Self.smallChunkSize else { return [] }
    var space: [UInt8] = []
    swap(&space, &spent)
    guard (size...2 * size).contains(space.capacity) else {
      space = []
      space.reserveCapacity(size)
      return space
    }
    space.removeAll(keepingCapacity: true)
    return space
  }

  /// Takes what came after the head, as it came.
  func receive(raw bytes: UnsafeRawBufferPointer) {
    guard failure == nil, incoming.chunks != nil || incoming.isIgnored else { return }
    do throws(TransportError) {
      let bytes = Array(bytes)
      try incoming.chunks?.consume(bytes)
      if incoming.chunks?.hasSurplus == true { closeUnlessShared() }
      if incoming.isIgnored { try receive(ignored: incoming.chunks?.content ?? bytes) }
    } catch {
      failure = transfer?.wire.error(
        error.kind, phase: .receivingBody, bytesSent: true, detail: error.detail)
      closeUnlessShared()
      touch()
    }
  }

  /// Takes content that libcurl hands out to nobody, and so can't be made to wait with.
  private func receive(ignored content: [UInt8]) throws(TransportError) {
    var rest = content.count
    if case .length(let length) = incoming.framing {
      rest = min(rest, max(0, length - incoming.received))
    }
    guard content[..<rest].withUnsafeBytes({ receive(content: $0) }) == rest else {
      throw TransportError(
        .responseTooLarge(limit: CurlTransfer.highWater), phase: .receivingBody, bytesSent: true,
        detail: "the content of a 417 comes faster than it is read, and libcurl does not wait")
    }
  }

  /// Takes a line of libcurl's trace, which is switched on where HTTP/2 may be spoken, and after the
  /// head of a response without content.
  func receive(trace line: UnsafeRawBufferPointer) {
    // So it does with what 417 says, for it means to send again.
    if incoming.hasHead, line.starts(with: "Ignoring the response-body".utf8) {
      incoming.isIgnored = true
    }
    // Lib/transfer.c of libcurl passes over what follows such a head, and keeps the connection.
    if incoming.hasHead, line.starts(with: "Excess found".utf8) { closeUnlessShared() }
    guard offersHTTP2 else { return }
    switch HTTP2Notice(line) {
    case .opened(let stream): outgoing.stream = stream
    case .goAway(let lastStream): loop.goAway(outgoing.port, lastStream: lastStream)
    case .refused: outgoing.isUnprocessed = true
    case nil: break
    }
  }

  /// Notes whether TLS has announced its end; the last time is when libcurl has read all there is.
  ///
  /// libcurl takes the end of the socket for the end of TLS, so that anybody on the way could cut a
  /// body that ends with the connection (RFC 9112 §9.8).
  func watchEnd() {
    guard configuration.asksOpenSSL, let session = ccurl_openssl_session(easy) else { return }
    incoming.isEndAnnounced = OpenSSL.shared?.isEndAnnounced(session)
  }

  private func receive(trailer line: ArraySlice<UInt8>) throws(TransportError) {
    var section = incoming.trailers ?? HTTPFieldSection(limits: options.headLimits)
    do throws(TransportError) { _ = try section.consume(line: line) } catch {
      throw transfer?.wire.error(
        error.kind == .headTooLarge ? .headTooLarge : .badChunk, phase: .receivingBody,
        bytesSent: true, detail: error.detail) ?? error
    }
    incoming.trailers = section
  }

  private func complete(_ complete: HeadMemory.Head) throws(TransportError) {
    guard let transfer else { return }
    let response = complete.response
    incoming.isMultiplexed = complete.version == .multiplexed
    if offersHTTP2, !incoming.isMultiplexed { ccurl_set_long(easy, CURLOPT_VERBOSE, 0) }
    if response.status.isInformational {
      guard incoming.informational.count < options.headLimits.informational else {
        throw transfer.wire.error(
          .tooManyInformational, phase: .awaitingHead, bytesSent: true,
          detail: "more than \(options.headLimits.informational) interim responses came")
      }
      incoming.informational.append(response)
      heads.beginNext()
      // With these libcurl begins to wait anew for 100, and forgets to look at the clock.
      if response.status.code != 100, transfer.wire.headerFields.contains(.expect) {
        transfer.resumeDriver(after: options.continueTimeout)
      }
      return
    }
    incoming.framing = complete.framing
    incoming.isLengthFirst =
      complete.framing == .untilClose && response.headerFields.isLengthFirst
    if incoming.framing == .chunked {
      // From now on libcurl shows what comes before it undoes the chunks.
      incoming.chunks = try ChunkJudge(limits: options.headLimits)
      ccurl_set_long(easy, CURLOPT_VERBOSE, 1)
    }
    if !incoming.isMultiplexed {
      if !complete.keepsConnectionAlive { closeUnlessShared() }
      // Else nothing is heard of what follows.
      if incoming.framing == .some(.none) || incoming.framing == .length(0) {
        ccurl_set_long(easy, CURLOPT_VERBOSE, 1)
      }
    }
    if response.status.code == 417, !incoming.isMultiplexed {
      ccurl_set_long(easy, CURLOPT_VERBOSE, 1)
    }
    if incoming.framing == .untilClose, !incoming.isMultiplexed,
      transfer.wire.origin.scheme == .https
    {
      ccurl_set_long(easy, CURLOPT_NOPROGRESS, 0)
    }
    incoming.hasHead = true
    incoming.head = CurlTransfer.Head(
      response: response, informationalResponses: incoming.informational)
    touch()
  }
}

// The end of it.
extension CurlHandle {
  /// How the transfer ended, by libcurl's code and by what was noted.
  func ending(_ code: CURLcode) -> CurlTransfer.Ending {
    if let failure { return .failed(failure) }
    guard code == CURLE_OK || outgoing.isRepeated else { return .failed(error(for: code)) }
    guard incoming.hasHead else {
      return .failed(error(endedHead, "the connection ended before the head was complete"))
    }
    if let chunks = incoming.chunks, !chunks.isComplete {
      return .failed(error(.truncatedBody, "the connection ended before the last chunk"))
    }
    if case .length(let length) = incoming.framing, incoming.received != length {
      return .failed(
        error(
          .truncatedBody,
          incoming.isIgnored && incoming.received == 0
            ? "\(CurlLibrary.current.description) discards the content of this response"
            : "\(incoming.received) of \(length) bytes came before the connection ended"
        ))
    }
    if incoming.isLengthFirst, !CurlLibrary.current.overridesEarlierLength {
      return .failed(
        error(
          .truncatedBody,
          """
          Content-Length came before Transfer-Encoding, and \(CurlLibrary.current.description) ends \
          the content there, so the body may be cut short
          """))
    }
    if let detail = doubtfulEnd { return .failed(error(.truncatedBody, detail)) }
    return .complete(trailers: incoming.chunks?.trailers ?? incoming.trailers?.fields ?? [:])
  }

  /// Whether there is nothing to wait for: the transfer has failed, or the whole response is there
  /// although the request was not sent to its end.
  var isOver: Bool {
    if failure != nil { return true }
    guard incoming.hasHead, !isSent else { return false }
    switch incoming.framing {
    case .some(.none): return true
    case .length(let length): return incoming.received == length
    case .chunked: return incoming.chunks?.isComplete == true
    case .untilClose, nil: return false
    }
  }

  /// Why the end of a connection can't be trusted to be the end of the body; `nil` if it can.
  private var doubtfulEnd: String? {
    guard incoming.framing == .untilClose, !incoming.isMultiplexed,
      transfer?.wire.origin.scheme == .https, incoming.isEndAnnounced != true
    else { return nil }
    return incoming.isEndAnnounced == nil
      ? """
      the body ends with the connection, and \(CurlLibrary.current.description) doesn't tell whether the end was \
      announced, so the body may be cut short; use libcurl built with OpenSSL, or a server that \
      states the length
      """
      : "the connection ended without close_notify, so the body may be cut short"
  }

  /// What it means that the connection ended before the head was complete.
  var endedHead: TransportError.Kind {
    // What came of a first line that was cut is nowhere to be seen.
    heads.isEmpty && incoming.informational.isEmpty ? .emptyReply : .truncatedHead
  }
}

extension HTTPFields {
  /// Whether the first Content-Length stands before the first Transfer-Encoding.
  fileprivate var isLengthFirst: Bool {
    first { $0.name == .contentLength || $0.name == .transferEncoding }?.name == .contentLength
  }
}
