import CCurl
import TransportPort

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One easy handle and the transfer that it carries out; touched by the driver's thread alone.
final class CurlHandle {
  /// How much content is gathered before it is delivered on its own: as much as libcurl reads at a
  /// time, in memory that is just below what tidies up the whole heap when it is given back.
  static let chunkSize = 60 * 1024

  let easy: UnsafeMutableRawPointer
  private(set) var transfer: CurlTransfer?

  /// The lane of the transfer.
  private(set) var lane: CurlQueue.Lane?

  private unowned let loop: CurlLoop
  private let configuration: CurlTransport.Configuration
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  // What was set for the transfer before, so that it need not be set again.
  private var origin: HTTPOrigin?
  private var target = ""
  private var url: OpaquePointer?
  private var fields: HTTPFields?
  private var fieldList: UnsafeMutablePointer<curl_slist>?
  /// Whether the request asks for the connection to be closed.
  private var closes = false
  private var method: HTTPRequest.Method?
  private var framing: WireRequest.Framing?
  private var options = TransportOptions()
  private var offersHTTP2 = false

  // The transfer's state.
  private var heads = HeadMemory()
  private var trailers: HTTPFieldSection?
  private var chunks: ChunkJudge?
  private var informational: [HTTPResponse] = []
  private var head: CurlTransfer.Head?
  private var hasHead = false
  private var bodyFraming: HTTPBodyFraming?
  private var content: [UInt8] = []
  private var received = 0
  private var sent = 0
  private var isUploaded = false
  /// Whether libcurl waits for the producer of the content.
  private(set) var isStarved = false
  /// Whether TLS announced its end; `nil` where that is not known.
  private var isEndAnnounced: Bool?
  private var attempts = 0
  /// The local port of the connection, and the number of the stream on it.
  private(set) var port: Int32 = 0
  private var stream: Int?
  /// Whether the server has said that it did nothing about the request.
  private var isUnprocessed = false
  /// Whether libcurl would send the request again although it was answered.
  private var isRepeated = false

  /// Whether the connection turned out to be of no use before anything was sent.
  private(set) var needsFreshConnection = false
  private var failure: TransportError?
  private var isTouched = false

  /// Whether the response came over HTTP/2.
  private(set) var isMultiplexed = false

  /// Whether no other transfer may have this handle.
  private(set) var isSpent = false

  /// Whether libcurl remembers the last field of the transfer before, which it has freed, and joins
  /// a first field that starts with a space to it (curl/curl#11101, up to 8.1.0).
  private static let remembersFreedField =
    curl_version_info(CURLVERSION_FIRST).pointee.version_num < 0x08_01_01

  /// Whether the next line is the first after a status line.
  private var isAtFirstField = false

  /// A handle with everything set that holds for all transfers.
  init?(_ configuration: CurlTransport.Configuration, loop: CurlLoop) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.loop = loop
    self.configuration = configuration
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setUp(configuration, loop: loop, errorText: errorText)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_url_cleanup(url)
    curl_slist_free_all(fieldList)
    errorText.deallocate()
  }

  /// Takes on a transfer, which is then to be added to the multi handle.
  func begin(_ transfer: CurlTransfer, in lane: CurlQueue.Lane) {
    self.transfer = transfer
    self.lane = lane
    transfer.place = .running(self)
    let wire = transfer.wire
    if target != wire.target || origin != wire.origin {
      target = wire.target
      origin = wire.origin
      setURL(wire.url)
    }
    if offersHTTP2 != transfer.mayShare(configuration) {
      offersHTTP2.toggle()
      setVersion(offersHTTP2: offersHTTP2)
    }
    if method != wire.method || framing != wire.framing {
      method = wire.method
      framing = wire.framing
      setMethod(wire)
    }
    if fields != wire.headerFields {
      fields = wire.headerFields
      closes = wire.headerFields.list(.connection).contains("close")
      let list = Self.list(wire)
      ccurl_set_list(easy, CURLOPT_HTTPHEADER, list)
      curl_slist_free_all(fieldList)
      fieldList = list
    }
    if options != transfer.options {
      options = transfer.options
      setTimes(options, configuration)
    }
    ccurl_set_long(easy, CURLOPT_FORBID_REUSE, closes ? 1 : 0)
    ccurl_set_long(easy, CURLOPT_VERBOSE, 0)
    ccurl_set_long(easy, CURLOPT_NOPROGRESS, 1)
    ccurl_set_long(easy, CURLOPT_IGNORE_CONTENT_LENGTH, 0)
    heads.begin(
      HeadMemory.Rules(
        method: wire.method, limits: options.headLimits, allowsMultiplexed: offersHTTP2))
    errorText[0] = 0
    if transfer.hasTrailers {
      isSpent = true
      setTrailers()
    }
    // What answers CONNECT is not to be seen.
    if Self.remembersFreedField, configuration.proxy != .none { isSpent = true }
  }

  /// Whether a connection has ended on which libcurl waits for content to send, and for nothing else.
  var isCutWhileStarved: Bool {
    guard isStarved, !isMultiplexed, speaksHTTP2 != true,
      let socket = loop.sockets.socket(atPort: port)
    else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// Sets the URL, which is read here once; else libcurl reads it again for each transfer.
  private func setURL(_ text: String) {
    let parsed = curl_url()
    let isRead = curl_url_set(parsed, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
    // One that libcurl can't read is left to it, so that the transfer fails with its reason.
    ccurl_set_string(easy, CURLOPT_URL, isRead ? nil : text)
    ccurl_set_pointer(easy, CURLOPT_CURLU, isRead ? UnsafeMutableRawPointer(parsed) : nil)
    curl_url_cleanup(url)
    url = parsed
  }

  /// Goes on reading and writing.
  func unpause() {
    isStarved = false
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Whether the connection can be made to send what is due on it.
  ///
  /// Not while the reader is behind: to go on reading would then fill the memory.
  var canFlush: Bool { offersHTTP2 && transfer?.isReadingPaused == false }

  /// Makes libcurl send what is due on the connection, by a change of the stream's window.
  func flush() {
    curl_easy_pause(easy, CURLPAUSE_RECV)
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Lets the connection end with this transfer, unless it is shared with others.
  func closeUnlessShared() {
    ccurl_set_long(easy, CURLOPT_FORBID_REUSE, 1)
  }

  /// Prepares to begin again on a fresh connection.
  func avoidKeptConnections() {
    needsFreshConnection = false
    options.reusesConnections = false
    setTimes(options, configuration)
  }

  /// Hands over what has come since the last time.
  func deliver() {
    guard isTouched, let transfer else { return }
    isTouched = false
    loop.resume(transfer.deliver(head: takeHead(), bytes: takeContent()))
  }

  /// Notes why the transfer shall end.
  func fail(_ error: TransportError) {
    failure = error
  }

  /// Ends the transfer; the handle is then free for another.
  func finish(_ ending: Result<HTTPFields, TransportError>) {
    guard let transfer else { return }
    transfer.place = .nowhere
    loop.resume(transfer.finish(head: takeHead(), bytes: takeContent(), ending))
    self.transfer = nil
    lane = nil
    trailers = nil
    chunks = nil
    informational = []
    hasHead = false
    bodyFraming = nil
    received = 0
    sent = 0
    isUploaded = false
    isStarved = false
    isEndAnnounced = nil
    attempts = 0
    port = 0
    stream = nil
    isUnprocessed = false
    isRepeated = false
    isAtFirstField = false
    needsFreshConnection = false
    failure = nil
    isTouched = false
    isMultiplexed = false
  }

  private func takeHead() -> CurlTransfer.Head? {
    defer { head = nil }
    return head
  }

  private func takeContent() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &content)
    return bytes
  }

  private func touch() {
    guard !isTouched else { return }
    isTouched = true
    loop.touch(self)
  }
}

// What libcurl calls.
extension CurlHandle {
  /// Takes a line of a head or of the trailers, as it came.
  ///
  /// - Returns: Whether the transfer goes on.
  func receive(line bytes: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil else { return false }
    if Self.remembersFreedField, !hasHead { watchFirstField() }
    do throws(TransportError) {
      if hasHead {
        if chunks == nil { try receive(trailer: Array(bytes)[...]) }
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

  /// Has libcurl show the line after a status line before it does anything about it.
  private func watchFirstField() {
    let wasAtFirstField = isAtFirstField
    isAtFirstField = heads.isEmpty
    guard isAtFirstField != wasAtFirstField, !offersHTTP2 else { return }
    ccurl_set_long(easy, CURLOPT_VERBOSE, isAtFirstField ? 1 : 0)
  }

  /// Keeps libcurl from joining a first field to what it has freed.
  ///
  /// - Parameter line: The line in libcurl's own memory, about to be stored.
  func guardFirstField(_ line: UnsafeMutableRawBufferPointer) {
    guard Self.remembersFreedField, isAtFirstField, let first = line.first,
      first == 0x20 || first == 0x09
    else { return }
    line[0] = UInt8(ascii: ":")
    failure = error(.malformedHead, "the first field line starts with a space")
  }

  /// Takes content.
  ///
  /// - Returns: What the write callback returns: the count, an error, or a wish to pause.
  func receive(content bytes: UnsafeRawBufferPointer) -> Int {
    guard let transfer, hasHead, failure == nil else { return 0 }
    if content.count + bytes.count > Self.chunkSize {
      isTouched = true
      deliver()
      if transfer.pausesReading() { return Int(CURL_WRITEFUNC_PAUSE) }
    }
    if content.isEmpty, let space = transfer.takeSpace() { content = space }
    if content.capacity - content.count < bytes.count, bodyFraming != .length(bytes.count) {
      content.reserveCapacity(Self.chunkSize)
    }
    content.append(contentsOf: bytes)
    received += bytes.count
    touch()
    return bytes.count
  }

  /// Gives content of the request.
  ///
  /// - Returns: What the read callback returns: the count, or a wish to pause.
  func supply(_ space: UnsafeMutableRawBufferPointer) -> Int {
    if let bytes = transfer?.content {
      let piece = bytes[sent...].prefix(space.count)
      piece.withUnsafeBytes { space.copyMemory(from: $0) }
      sent += piece.count
      return piece.count
    }
    guard let upload = transfer?.upload else { return Int(CURL_READFUNC_ABORT) }
    switch upload.copy(into: space) {
    case .copied(let count):
      sent += count
      return count
    case .pending:
      isStarved = true
      loop.starve(self)
      return Int(CURL_READFUNC_PAUSE)
    case .ended:
      isUploaded = true
      return 0
    }
  }

  /// Takes what came after the head, as it came.
  func receive(raw bytes: UnsafeRawBufferPointer) {
    guard failure == nil, chunks != nil else { return }
    do throws(TransportError) {
      try chunks?.consume(Array(bytes))
      if chunks?.hasSurplus == true { closeUnlessShared() }
    } catch {
      failure = transfer?.wire.error(
        error.kind, phase: .receivingBody, bytesSent: true, detail: error.detail)
      closeUnlessShared()
      touch()
    }
  }

  /// Takes a line of libcurl's trace, which is switched on where HTTP/2 may be spoken, and after the
  /// head of a response without content.
  func receive(trace line: UnsafeRawBufferPointer) {
    // Lib/transfer.c of libcurl passes over what follows such a head, and keeps the connection.
    if hasHead, line.starts(with: "Excess found".utf8) { closeUnlessShared() }
    guard offersHTTP2 else { return }
    switch HTTP2Notice(line) {
    case .opened(let stream): self.stream = stream
    case .goAway(let lastStream): loop.goAway(port, lastStream: lastStream)
    case .refused: isUnprocessed = true
    case nil: break
    }
  }

  /// Notes that the server takes no stream of a connection after one.
  func goAway(_ port: Int32, lastStream: Int) {
    guard port == self.port, !hasHead, let stream, stream > lastStream else { return }
    isUnprocessed = true
  }

  /// Notes whether TLS has announced its end; the last time is when libcurl has read all there is.
  ///
  /// libcurl takes the end of the socket for the end of TLS, so that anybody on the way could cut a
  /// body that ends with the connection (RFC 9112 §9.8).
  func watchEnd() {
    guard let session = ccurl_openssl_session(easy) else { return }
    isEndAnnounced = OpenSSL.shared?.isEndAnnounced(session)
  }

  /// Starts the content again, for a second attempt.
  ///
  /// - Returns: Whether that is possible.
  func rewind(to offset: Int) -> Bool {
    guard let bytes = transfer?.content, (0...bytes.count).contains(offset) else {
      return sent == offset
    }
    sent = offset
    return true
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
    guard let wire = transfer?.wire else { return false }
    if hasHead {
      // After 417 libcurl tries without Expect, whatever the method.
      isRepeated = true
      return false
    }
    if attempts == 0, isStale(socket) {
      needsFreshConnection = true
      return false
    }
    attempts += 1
    port = localPort
    stream = nil
    // Only here, since a connection that is opened while libcurl traces is traced for good.
    if offersHTTP2 { ccurl_set_long(easy, CURLOPT_VERBOSE, 1) }
    guard attempts > 1 else { return true }
    guard wire.method.isIdempotent || isUnprocessed, transfer?.content != nil || sent == 0 else {
      var error = wire.error(
        .connectionReset, phase: .awaitingHead, bytesSent: true,
        detail: "a kept connection ended before the response, and \(wire.method) is not sent again")
      error.isRetrySafe = error.isRetrySafe || isUnprocessed
      failure = error
      return false
    }
    isUnprocessed = false
    return true
  }

  /// Whether a kept connection is at its end or has unasked bytes.
  ///
  /// Where HTTP/2 is possible, frames may come at any time, so that nothing can be told.
  private func isStale(_ socket: Int32?) -> Bool {
    guard let socket, !offersHTTP2, options.reusesConnections,
      ccurl_long(easy, CURLINFO_NUM_CONNECTS) == 0
    else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
  }

  /// The fields to send after the content.
  func trailerList(_ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>) {
    for field in transfer?.upload?.trailers ?? [:] {
      list.pointee = Self.append(field, emptyMark: [0x3A, 0x20], to: list.pointee)
    }
  }

  private func receive(trailer line: ArraySlice<UInt8>) throws(TransportError) {
    var section = trailers ?? HTTPFieldSection(limits: options.headLimits)
    do throws(TransportError) { _ = try section.consume(line: line) } catch {
      throw transfer?.wire.error(
        error.kind == .headTooLarge ? .headTooLarge : .badChunk, phase: .receivingBody,
        bytesSent: true, detail: error.detail) ?? error
    }
    trailers = section
  }

  private func complete(_ complete: HeadMemory.Head) throws(TransportError) {
    guard let transfer else { return }
    let response = complete.response
    isMultiplexed = complete.version == .multiplexed
    if offersHTTP2, !isMultiplexed { ccurl_set_long(easy, CURLOPT_VERBOSE, 0) }
    if response.status.isInformational {
      guard informational.count < options.headLimits.informational else {
        throw transfer.wire.error(
          .tooManyInformational, phase: .awaitingHead, bytesSent: true,
          detail: "more than \(options.headLimits.informational) interim responses came")
      }
      informational.append(response)
      heads.beginNext()
      // With these libcurl begins to wait anew for 100, and forgets to look at the clock.
      if response.status.code != 100, transfer.wire.headerFields.contains(.expect) {
        transfer.resumeDriver(after: options.continueTimeout)
      }
      return
    }
    bodyFraming = complete.framing
    if bodyFraming == .chunked {
      // From now on libcurl shows what comes before it undoes the chunks.
      chunks = try ChunkJudge(limits: options.headLimits)
      ccurl_set_long(easy, CURLOPT_VERBOSE, 1)
    }
    if !isMultiplexed {
      if !complete.keepsConnectionAlive { closeUnlessShared() }
      // Else nothing is heard of what follows.
      if bodyFraming == .some(.none) || bodyFraming == .length(0) {
        ccurl_set_long(easy, CURLOPT_VERBOSE, 1)
      }
    }
    if bodyFraming == .untilClose, !isMultiplexed, transfer.wire.origin.scheme == .https {
      ccurl_set_long(easy, CURLOPT_NOPROGRESS, 0)
    }
    hasHead = true
    head = CurlTransfer.Head(response: response, informationalResponses: informational)
    touch()
  }
}

extension CurlHandle {
  /// How the transfer ended, by libcurl's code and by what was noted.
  func ending(_ code: CURLcode) -> Result<HTTPFields, TransportError> {
    if let failure { return .failure(failure) }
    guard code == CURLE_OK || isRepeated else { return .failure(error(for: code)) }
    guard hasHead else {
      return .failure(error(endedHead, "the connection ended before the head was complete"))
    }
    if let chunks, !chunks.isComplete {
      return .failure(error(.truncatedBody, "the connection ended before the last chunk"))
    }
    if case .length(let length) = bodyFraming, received != length {
      return .failure(
        error(.truncatedBody, "\(received) of \(length) bytes came before the connection ended"))
    }
    if bodyFraming == .untilClose, isEndAnnounced == false {
      return .failure(
        error(
          .truncatedBody,
          "the connection ended without close_notify, so the body may be cut short"))
    }
    return .success(chunks?.trailers ?? trailers?.fields ?? [:])
  }

  /// Whether there is nothing to wait for: the transfer has failed, or the whole response is there
  /// although the request was not sent to its end.
  var isOver: Bool {
    if failure != nil { return true }
    guard hasHead, !isSent else { return false }
    switch bodyFraming {
    case .some(.none): return true
    case .length(let length): return received == length
    case .chunked: return chunks?.isComplete == true
    case .untilClose, nil: return false
    }
  }

  /// What it means that the connection ended before the head was complete.
  private var endedHead: TransportError.Kind {
    // What came of a first line that was cut is nowhere to be seen.
    heads.isEmpty && informational.isEmpty ? .emptyReply : .truncatedHead
  }

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
    if isUnprocessed, kind == .connectionReset { error.isRetrySafe = true }
    return error
  }

  /// Whether any byte of the request may have reached the wire.
  private var bytesSent: Bool {
    attempts > 0 && (attempts > 1 || ccurl_long(easy, CURLINFO_REQUEST_SIZE) > 0 || sent > 0)
  }

  /// Whether HTTP/2 was agreed on; `nil` where that is not known.
  private var speaksHTTP2: Bool? {
    guard let session = ccurl_openssl_session(easy) else { return nil }
    return OpenSSL.shared?.speaksHTTP2(session)
  }

  private var phase: TransportError.Phase {
    if hasHead { return .receivingBody }
    if attempts > 0 { return isSent ? .awaitingHead : .sending }
    if ccurl_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    if ccurl_offset(easy, CURLINFO_CONNECT_TIME_T) == 0 { return .connecting }
    return transfer?.wire.origin.scheme == .https ? .securing : .connecting
  }

  /// Whether the request was given to the system as a whole, as far as is known.
  private var isSent: Bool {
    guard bytesSent else { return false }
    switch framing {
    case .length(let length): return sent >= length
    case .chunked: return isUploaded || transfer?.content?.isEmpty == true
    case .some(.none), nil: return true
    }
  }

  private func error(for code: CURLcode) -> TransportError {
    let text = String(cString: errorText)
    let detail = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    return error(kind(of: code, text: text), detail, code: Int32(bitPattern: code.rawValue))
  }

  private func kind(of code: CURLcode, text: String) -> TransportError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxyFailed
    case CURLE_COULDNT_CONNECT: return connectKind(text)
    case CURLE_RECV_ERROR where attempts == 0: return connectKind(text)
    case CURLE_OPERATION_TIMEDOUT: return attempts == 0 ? .connectTimeout : .idleTimeout
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR: return .tls(tlsFailure(text))
    case CURLE_GOT_NOTHING: return endedHead
    case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND: return .connectionReset
    case CURLE_RECV_ERROR: return receiveKind(text)
    case CURLE_PARTIAL_FILE: return !hasHead ? endedHead : .truncatedBody
    case CURLE_WEIRD_SERVER_REPLY:
      return text.contains("Content-Length") ? .invalidLength : .malformedHead
    case CURLE_UNSUPPORTED_PROTOCOL where attempts > 0: return .malformedHead
    case CURLE_OUT_OF_MEMORY where bytesSent && !hasHead: return .headTooLarge
    // What cannot be a field, before this adapter has seen the line.
    case CURLE_BAD_FUNCTION_ARGUMENT where bytesSent: return hasHead ? .badChunk : .malformedHead
    // Without a word, this means that the session has nothing left to do: it was ended by GOAWAY.
    case CURLE_HTTP2 where isUnprocessed || text.isEmpty: return .connectionReset
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return .protocolViolation
    // CURLE_TOO_LARGE, which older headers do not have.
    case CURLcode(100): return .headTooLarge
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
    return hasHead ? .truncatedBody : endedHead
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
