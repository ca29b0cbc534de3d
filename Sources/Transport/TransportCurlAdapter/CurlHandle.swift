import CCurl
import TransportPort

/// One easy handle and the transfer that it performs. Only the driver thread uses it.
final class CurlHandle {
  /// The maximum size of content that gets a buffer of exactly its size, in bytes ("64 concurrent,
  /// 1 KiB").
  static let smallChunkSize = 4 * 1024

  /// The amount of content to gather before it is delivered, in bytes.
  ///
  /// It is libcurl's receive buffer size. It stays below 64 KiB because glibc consolidates the
  /// whole heap when a block of that size is freed ("download, 256 MiB").
  static let chunkSize = 60 * 1024

  let easy: UnsafeMutableRawPointer
  @exclusivity(unchecked) private(set) var transfer: CurlTransfer?

  /// The lane of the transfer in the queue.
  @exclusivity(unchecked) private(set) var lane: CurlQueue.Lane?

  /// The owner of the handle, which outlives it. A checked reference would be retained for each use
  /// ("64 concurrent, 1 KiB").
  unowned(unsafe) let loop: CurlLoop
  let configuration: CurlTransport.Configuration
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  // The options that libcurl has from the previous transfer, which `begin` need not set again.
  @exclusivity(unchecked) private var request: WireRequest?
  private var url: OpaquePointer?
  private var fieldList: UnsafeMutablePointer<curl_slist>?
  /// Whether the request has `Connection: close`.
  private(set) var closes = false
  private(set) var options = TransportOptions()
  private(set) var offersHTTP2 = false

  // The options that change during a transfer. Most transfers change none, and setting one costs
  // more than comparing it ("64 concurrent, 1 KiB").
  /// Whether libcurl closes the connection at the end of the transfer, unless other streams use it.
  @exclusivity(unchecked) var closesConnection = false {
    didSet { set(CURLOPT_FORBID_REUSE, closesConnection, was: oldValue) }
  }
  /// Whether libcurl opens a connection although it has kept ones.
  @exclusivity(unchecked) var opensConnection = false {
    didSet { set(CURLOPT_FRESH_CONNECT, opensConnection, was: oldValue) }
  }
  /// Whether libcurl calls the trace callback.
  ///
  /// libcurl traces a connection for its whole life if it is opened while tracing is on.
  @exclusivity(unchecked) var isTraced = false {
    didSet { set(CURLOPT_VERBOSE, isTraced, was: oldValue) }
  }
  /// Whether libcurl calls the progress callback.
  @exclusivity(unchecked) var reportsProgress = false {
    didSet { set(CURLOPT_NOPROGRESS, !reportsProgress, was: !oldValue) }
  }
  /// Whether libcurl ignores Content-Length.
  @exclusivity(unchecked) var ignoresLength = false {
    didSet { set(CURLOPT_IGNORE_CONTENT_LENGTH, ignoresLength, was: oldValue) }
  }
  /// Whether libcurl continues an upload after an error status.
  ///
  /// By default it stops the upload. A server that reads the whole upload before it ends its response then
  /// waits for ever. Over HTTP/2, libcurl 7.88 ends the stream as if the content was complete. The option must be
  /// set at the status line: libcurl 8.14 decides before the last line of the head.
  @exclusivity(unchecked) var uploadsAfterError = false {
    didSet { set(CURLOPT_KEEP_SENDING_ON_ERROR, uploadsAfterError, was: oldValue) }
  }
  /// The weight of the stream over HTTP/2.
  @exclusivity(unchecked) private var weight = CurlHandle.defaultWeight {
    didSet { if weight != oldValue { ccurl_set_long(easy, CURLOPT_STREAM_WEIGHT, weight) } }
  }
  /// The default of RFC 7540 §5.3.5.
  private static let defaultWeight = 16

  // The state of the transfer, which only the extensions of this class use. Exclusivity checks are
  // disabled: only the driver thread accesses these properties, and no access spans a call that
  // leads back to them.
  @exclusivity(unchecked) var headCache = HeadCache()
  @exclusivity(unchecked) var content: [UInt8] = []
  /// The small content of the previous response, whose memory the next response reuses
  /// ("64 concurrent, 1 KiB").
  ///
  /// If the reader still holds the array, emptying it copies instead, so the reader's bytes are
  /// safe.
  @exclusivity(unchecked) var recycledContent: [UInt8] = []
  @exclusivity(unchecked) var incoming = Incoming()
  @exclusivity(unchecked) var outgoing = Outgoing()

  /// Whether libcurl chose a stale connection, on which nothing was sent.
  @exclusivity(unchecked) var needsFreshConnection = false
  /// The reason to end the transfer, which overrides libcurl's result.
  @exclusivity(unchecked) var failure: TransportError?
  /// Whether a head, content or failure waits for delivery.
  @exclusivity(unchecked) var needsDelivery = false

  /// Whether the handle must be discarded after this transfer.
  private(set) var isSingleUse = false

  /// Creates a handle with the options of all transfers.
  ///
  /// - Throws: `TransportError` of kind `unsupportedOption`, or of kind `other` if libcurl is out of
  ///   memory.
  init(
    _ configuration: CurlTransport.Configuration, loop: CurlLoop
  ) throws(TransportError) {
    let easy = try CurlOptions.makeHandle()
    self.easy = easy
    self.loop = loop
    self.configuration = configuration
    try setUp(configuration, loop: loop, errorText: errorText)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_url_cleanup(url)
    curl_slist_free_all(fieldList)
    errorText.deallocate()
  }

  /// Assigns a transfer and sets its options. The caller then adds the handle to the multi handle.
  ///
  /// An easy handle keeps its options, and most requests of an app resemble the previous one. Each
  /// option costs a call, and a URL or a field list costs parsing, so only differences are set
  /// ("64 concurrent, 1 KiB").
  /// `curl_easy_reset` would also discard the callbacks and the TLS settings.
  func begin(_ transfer: CurlTransfer, in lane: CurlQueue.Lane) {
    self.transfer = transfer
    self.lane = lane
    var hasNewRules = false
    if request?.isSpelled(like: transfer.wire) != true {
      setRequest(transfer.wire)
      hasNewRules = true
    }
    if offersHTTP2 != (transfer.mayShare(configuration) && loop.canTapHTTP2) {
      offersHTTP2.toggle()
      setVersion(offersHTTP2: offersHTTP2)
      hasNewRules = true
    }
    if options != transfer.options {
      options = transfer.options
      setTimes(options, configuration)
      hasNewRules = true
    }
    opensConnection = !options.reusesConnections
    weight = Self.defaultWeight
    closesConnection = closes
    isTraced = false
    reportsProgress = false
    ignoresLength = false
    uploadsAfterError = false
    if hasNewRules {
      headCache.begin(
        HeadCache.Rules(
          method: transfer.wire.method, limits: options.headLimits, allowsMultiplexed: offersHTTP2),
        known: loop.lastHead)
    } else {
      headCache.begin(known: loop.lastHead)
    }
    // libcurl writes the text only on an error and does not clear an old one.
    errorText[0] = 0
    if transfer.hasTrailers {
      isSingleUse = true
      setTrailers()
    }
    // CURLOPT_SUPPRESS_CONNECT_HEADERS hides the proxy's response to CONNECT from the callbacks, so
    // they cannot detect a fold in it. A new handle has no freed field to join it to.
    if Self.hasFoldUseAfterFree, configuration.proxy != .none { isSingleUse = true }
  }

  /// Sets the options of a request where it differs from the previous one.
  private func setRequest(_ wire: WireRequest) {
    let last = request
    request = wire
    let hasNewTarget = last?.target != wire.target || last?.origin != wire.origin
    let hasNewFields = last?.headerFields.isSpelled(like: wire.headerFields) != true
    if hasNewTarget || hasNewFields {
      // libcurl 7.88 sends at most two buffers of a head over TLS, and then waits for ever.
      ccurl_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, max(64 * 1024, wire.headSize))
    }
    if hasNewTarget { setURL(of: wire) }
    if last?.method != wire.method || last?.framing != wire.framing { setMethod(wire) }
    if hasNewFields {
      closes = wire.headerFields.list(.connection).contains("close")
      // libcurl keeps the pointer and does not copy the list, so the old list is freed last.
      let list = Self.list(wire)
      ccurl_set_list(easy, CURLOPT_HTTPHEADER, list)
      curl_slist_free_all(fieldList)
      fieldList = list
    }
  }

  /// How the body of the request is framed.
  var framing: WireRequest.Framing? { request?.framing }

  /// Switches an option on or off.
  func set(_ option: CURLoption, _ isOn: Bool) { ccurl_set_long(easy, option, isOn ? 1 : 0) }

  /// Switches an option on or off if that is a change.
  private func set(_ option: CURLoption, _ isOn: Bool, was wasOn: Bool) {
    if isOn != wasOn { set(option, isOn) }
  }

  /// Sets the URL in parsed form; libcurl would parse a string for each transfer ("64 concurrent,
  /// 1 KiB").
  private func setURL(of wire: WireRequest) {
    let (parsed, target) = (curl_url(), wire.target)
    // If libcurl cannot parse the URL, the transfer fails.
    curl_url_set(parsed, CURLUPART_URL, wire.url, UInt32(CURLU_PATH_AS_IS))
    ccurl_set_pointer(easy, CURLOPT_CURLU, UnsafeMutableRawPointer(parsed))
    // libcurl 8.14 drops the question mark of an empty query unless the target is set explicitly, and
    // 8.23 changes percent-encoded bytes. A request to an HTTP proxy has the whole URL as its target,
    // so there both happen.
    let hasEmptyQuery = target.utf8.last == UInt8(ascii: "?") && !target.dropLast().contains("?")
    let isDirect = configuration.proxy == .none || wire.origin.scheme == .https
    ccurl_set_string(
      easy, CURLOPT_REQUEST_TARGET,
      (hasEmptyQuery || CurlLibrary.current.normalizesURLs) && isDirect ? target : nil)
    curl_url_cleanup(url)
    url = parsed
  }

  /// Continues reading and writing.
  func unpause() {
    outgoing.isWaitingForContent = false
    resume()
  }

  /// Lifts libcurl's pauses; the write callback may pause reading again.
  @discardableResult
  private func resume() -> CURLcode {
    incoming.isPaused = false
    return curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Frees the content that libcurl holds for a paused transfer, before the handle is removed.
  ///
  /// `multi_done` in lib/multi.c of libcurl 7.88 frees it only if no other stream uses the
  /// connection. Otherwise the next transfer of this handle would receive it.
  func discardHeldContent() {
    guard incoming.isPaused else { return }
    incoming.refusesContent = true
    // Without a connection libcurl rejects the call, and the handle keeps the content.
    if resume() == CURLE_BAD_FUNCTION_ARGUMENT { isSingleUse = true }
  }

  /// Whether `flush()` may be called: not while reading is paused, because it would resume reading
  /// and exceed the buffer limit.
  var canFlush: Bool { transfer != nil && !isReadingPaused }

  /// Whether the transfer waits until its reader takes content.
  var isReadingPaused: Bool {
    (incoming.isPaused || transfer?.isReadingPaused == true) && !incoming.isResumedAtEnd
  }

  /// Receives the rest of a paused response whose stream the server has ended.
  ///
  /// libcurl holds the rest in memory anyway. When it has read the end of the stream it stops to read for the transfer,
  /// but the transfer would still take each call of ``readHeldInput()`` from the others on its connection
  /// (`Curl_readwrite` in lib/transfer.c of 7.88).
  func receiveRest() {
    guard isReadingPaused, stream?.isEnded == true else { return }
    incoming.isResumedAtEnd = true
    resume()
  }

  /// Makes libcurl send pending frames of the connection, by a change of the stream's window.
  func flush() {
    curl_easy_pause(easy, CURLPAUSE_RECV)
    resume()
  }

  /// Sends a frame without an effect, and reads like ``readHeldInput()``: PRIORITY (RFC 9113 §6.3).
  ///
  /// libcurl sends it if the stream's weight has changed since its last frame. The weight therefore
  /// alternates between the default and its neighbour. libcurl offers no PING for a running transfer.
  /// With nghttp2 1.70 it sends no PRIORITY, and the flush sends WINDOW_UPDATE once.
  func sendPriority() {
    weight = weight == Self.defaultWeight ? Self.defaultWeight + 1 : Self.defaultWeight
    flush()
  }

  /// Whether `readHeldInput()` may be called: not while reading or the upload is paused, because it
  /// would resume them.
  var canReadHeldInput: Bool {
    offersHTTP2 && outgoing.attempts > 0 && !outgoing.isWaitingForContent && canFlush
  }

  /// Makes libcurl read from the connection in its next run, even if the socket has no input.
  ///
  /// Unlike ``flush()``, this sends no frame.
  func readHeldInput() {
    curl_easy_pause(easy, CURLPAUSE_SEND)
    resume()
  }

  /// Closes the connection at the end of this transfer, unless other streams use it.
  func closeUnlessShared() { closesConnection = true }

  /// Delivers what was received since the last call.
  func deliver() {
    guard needsDelivery, let transfer else { return }
    needsDelivery = false
    loop.resume(transfer.deliver(head: takeHead(), bytes: takeContent()))
  }

  /// Sets the reason to end the transfer.
  func fail(_ error: TransportError) {
    failure = error
  }

  /// Ends the transfer. The caller has removed the handle from the multi handle.
  func finish(_ ending: CurlTransfer.Ending) {
    guard let transfer else { return }
    let content = takeContent()
    if content.capacity <= 2 * Self.smallChunkSize, content.count == incoming.received {
      recycledContent = content
    }
    loop.resume(transfer.finish(head: takeHead(), bytes: content, ending))
    self.transfer = nil
    lane = nil
    incoming = Incoming()
    if let stream = outgoing.stream { outgoing.connection?.tap?.streams.forget(stream) }
    use(nil)
    outgoing = Outgoing()
    needsFreshConnection = false
    failure = nil
    needsDelivery = false
  }

  private func takeHead() -> CurlTransfer.Head? {
    defer { incoming.head = nil }
    return incoming.head
  }

  private func takeContent() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &content)
    return bytes
  }

  /// Schedules a delivery for the end of the current turn of the loop.
  func setNeedsDelivery() {
    guard !needsDelivery else { return }
    needsDelivery = true
    loop.scheduleDelivery(of: self)
  }
}
