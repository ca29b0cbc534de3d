import CCurl
import TransportPort

/// One easy handle and the transfer that it carries out; touched by the driver's thread alone.
final class CurlHandle {
  /// Up to how much content has memory of its own size, and takes that of the response before.
  static let smallChunkSize = 4 * 1024

  /// How much content is gathered before it is delivered on its own: as much as libcurl reads at a
  /// time, in memory that is just below what tidies up the whole heap when it is given back.
  static let chunkSize = 60 * 1024

  let easy: UnsafeMutableRawPointer
  @exclusivity(unchecked) private(set) var transfer: CurlTransfer?

  /// The lane of the transfer.
  @exclusivity(unchecked) private(set) var lane: CurlQueue.Lane?

  unowned let loop: CurlLoop
  let configuration: CurlTransport.Configuration
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  // What was set for the transfer before, so that it need not be set again.
  private var origin: HTTPOrigin?
  private var target = ""
  private var url: OpaquePointer?
  private var fields: HTTPFields?
  private var fieldList: UnsafeMutablePointer<curl_slist>?
  /// Whether the request asks for the connection to be closed.
  private var closes = false
  private var method: HTTPRequest.Method?
  private(set) var framing: WireRequest.Framing?
  private(set) var options = TransportOptions()
  private(set) var offersHTTP2 = false

  // The transfer's state; the handle's other files are its only other users. One thread touches it,
  // and no access spans a call that leads back here, so that checks for that would find nothing.
  @exclusivity(unchecked) var heads = HeadMemory()
  @exclusivity(unchecked) var content: [UInt8] = []
  /// The small content of the response before, of whose memory the next makes use if the reader has
  /// dropped it; if not, an array that is emptied has other memory.
  @exclusivity(unchecked) var spent: [UInt8] = []
  @exclusivity(unchecked) var incoming = Incoming()
  @exclusivity(unchecked) var outgoing = Outgoing()

  /// Whether the connection turned out to be of no use before anything was sent.
  @exclusivity(unchecked) var needsFreshConnection = false
  @exclusivity(unchecked) var failure: TransportError?
  @exclusivity(unchecked) var isTouched = false

  /// Whether no other transfer may have this handle.
  private(set) var isSpent = false

  /// A handle with everything set that holds for all transfers.
  init(
    _ configuration: CurlTransport.Configuration, loop: CurlLoop
  ) throws(TransportError) {
    let easy = try CurlOptions.makeHandle()
    self.easy = easy
    self.loop = loop
    self.configuration = configuration
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try setUp(configuration, loop: loop, errorText: errorText)
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
    if target != transfer.wire.target || origin != transfer.wire.origin {
      target = transfer.wire.target
      origin = transfer.wire.origin
      setURL(transfer.wire.url)
    }
    if offersHTTP2 != transfer.mayShare(configuration) {
      offersHTTP2.toggle()
      setVersion(offersHTTP2: offersHTTP2)
    }
    if method != transfer.wire.method || framing != transfer.wire.framing {
      method = transfer.wire.method
      framing = transfer.wire.framing
      setMethod(transfer.wire)
    }
    if fields?.isSpelled(like: transfer.wire.headerFields) != true {
      fields = transfer.wire.headerFields
      closes = transfer.wire.headerFields.list(.connection).contains("close")
      let list = Self.list(transfer.wire)
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
        method: transfer.wire.method, limits: options.headLimits, allowsMultiplexed: offersHTTP2))
    errorText[0] = 0
    if transfer.hasTrailers {
      isSpent = true
      setTrailers()
    }
    // What answers CONNECT is not to be seen.
    if Self.remembersFreedField, configuration.proxy != .none { isSpent = true }
  }

  /// Sets the URL, which is read here once; else libcurl reads it again for each transfer.
  private func setURL(_ text: String) {
    let parsed = curl_url()
    let isRead = curl_url_set(parsed, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
    // One that libcurl can't read is left to it, so that the transfer fails with its reason.
    ccurl_set_string(easy, CURLOPT_URL, isRead ? nil : text)
    ccurl_set_pointer(easy, CURLOPT_CURLU, isRead ? UnsafeMutableRawPointer(parsed) : nil)
    // libcurl 8.14 drops the question mark of an empty query, unless the target is set. A proxy needs
    // the whole URL as its target, so there the question mark is lost.
    let hasEmptyQuery = target.utf8.last == UInt8(ascii: "?") && !target.dropLast().contains("?")
    let isDirect = configuration.proxy == .none || origin?.scheme == .https
    ccurl_set_string(easy, CURLOPT_REQUEST_TARGET, hasEmptyQuery && isDirect ? target : nil)
    curl_url_cleanup(url)
    url = parsed
  }

  /// Goes on reading and writing.
  func unpause() {
    outgoing.isStarved = false
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
  func finish(_ ending: CurlTransfer.Ending) {
    guard let transfer else { return }
    transfer.place = .nowhere
    let content = takeContent()
    if content.capacity <= 2 * Self.smallChunkSize, content.count == incoming.received {
      spent = content
    }
    loop.resume(transfer.finish(head: takeHead(), bytes: content, ending))
    self.transfer = nil
    lane = nil
    incoming = Incoming()
    outgoing = Outgoing()
    needsFreshConnection = false
    failure = nil
    isTouched = false
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

  func touch() {
    guard !isTouched else { return }
    isTouched = true
    loop.touch(self)
  }
}
