/// The origin's side of one exchange: plays scripts and passes their bytes to the client's parser.
actor FakePlayer {
  private let exchange: FakeExchange
  private let lease: FakeTransportModel.Lease
  private var steps: ArraySlice<ScriptStep>
  private var parser: HTTPResponseParser
  private var events: [HTTPResponseParser.Event] = []
  private var ready: ArraySlice<HTTPResponseParser.Event> = []
  private var fault: TransportError?
  private var record: Int?
  private var reader: HTTPRequestBody.Reader?
  private var upload: ArraySlice<UInt8> = []
  private var isUploadOver: Bool
  private var awaitsContinue: Bool
  private var isClosedByOrigin = false
  private var ordinal = 0

  init(exchange: FakeExchange, lease: FakeTransportModel.Lease) {
    let plan = exchange.transport.plan
    self.exchange = exchange
    self.lease = lease
    self.steps = lease.isNew && !lease.isShared ? plan.onConnect(lease.connection).steps[...] : []
    self.parser = HTTPResponseParser(
      method: exchange.wire.method, limits: exchange.options.headLimits)
    self.isUploadOver = false
    let expectations = exchange.wire.headerFields.list(.expect)
    // Without content there is nothing to wait with (RFC 9110 §10.1.1).
    self.awaitsContinue = exchange.body.length != 0 && expectations.contains("100-continue")
  }

  /// Returns the next event for the client; events before a failure are returned before it is
  /// thrown.
  func next() async throws(TransportError) -> HTTPResponseParser.Event {
    while true {
      if let event = ready.popFirst() { return event }
      if let fault { throw fault }
      do throws(TransportError) {
        try await play()
        if parser.isComplete { try await settle() }
      } catch {
        fault = error
        exchange.finish(closedBy: isClosedByOrigin ? .origin : .client)
      }
      ready = lease.isShared ? events.map(\.overHTTP2)[...] : events[...]
      events = []
    }
  }

  /// Plays the next step; without one, reads the request and starts its script.
  ///
  /// A script advances only when the client asks for the next event, so a test sees no effect that
  /// the client did not cause.
  private func play() async throws(TransportError) {
    guard let step = steps.popFirst() else {
      guard record == nil else {
        try await readBody()
        await waitForCancellation()
        throw exchange.error(.cancelled)
      }
      let received = exchange.transport.receive(exchange.wire, on: lease, of: exchange)
      record = received.index
      ordinal = received.head.ordinal
      guard let script = received.script else {
        exchange.end(.unprocessed)
        throw exchange.unprocessedError()
      }
      steps = script.steps[...]
      return
    }
    switch step {
    case .send(let bytes):
      try receive(bytes)
    case .sendRepeatedly(let bytes, let count):
      if let count, count <= 0 { return }
      guard !bytes.isEmpty else { return }
      // A flood inside a head produces no event and would never return to the caller.
      await Task.yield()
      guard !Task.isCancelled else { throw exchange.error(.cancelled) }
      // In pieces as a socket delivers them: byte by byte, a flood would take seconds.
      var (piece, copies) = (bytes, 1)
      while piece.count <= 2048,
        copies <= (count ?? .max) / 2
      {
        piece += piece
        copies *= 2
      }
      let left = count.map { $0 - copies }
      if left != 0 { steps = [.sendRepeatedly(bytes, count: left)] + steps }
      try receive(piece)
    case .pause(let duration):
      guard (try? await exchange.transport.clock.pause(for: duration)) != nil else {
        throw exchange.error(.cancelled)
      }
    case .readBody:
      try await readBody()
    case .readBodyBytes(let count):
      var left = count
      while left > 0, let bytes = try await readUpload(atMost: left) { left -= bytes.count }
    case .echoBody:
      guard let bytes = try await readUpload(atMost: .max) else { return }
      steps = [.echoBody] + steps
      let size = String(bytes.count, radix: 16)
      try receive(Array("\(size)\r\n".utf8) + bytes + [0x0D, 0x0A])
    case .close:
      try endConnection(.orderly)
    case .closeWithoutNotify:
      try endConnection(exchange.wire.origin.scheme == .https ? .unannounced : .orderly)
    case .reset:
      try endConnection(.reset)
    // REFUSED_STREAM (RFC 9113 §8.7).
    case .resetStream(7) where lease.isShared:
      exchange.finishAndPark()
      throw exchange.unprocessedError()
    case .resetStream(let code) where lease.isShared:
      let error = exchange.error(.init(streamError: code), detail: "stream error \(code)")
      exchange.finishAndPark()
      throw error
    case .resetStream:
      try endConnection(.reset)
    case .stall:
      await waitForCancellation()
      throw exchange.error(.cancelled)
    case .goAway(let isProcessed) where lease.isShared:
      exchange.transport.goAway(lease.connection, lastProcessed: ordinal)
      guard !isProcessed else { return }
      exchange.finishAndPark()
      throw exchange.unprocessedError()
    case .goAway: break
    }
  }

  /// Passes bytes to the client's parser.
  private func receive(_ bytes: [UInt8]) throws(TransportError) {
    try parser.consume(bytes, into: &events)
    if events.contains(where: { $0.isContinue }) { awaitsContinue = false }
  }

  /// Ends the connection from the origin's side.
  private func endConnection(_ ending: HTTPResponseParser.Ending) throws(TransportError) {
    isClosedByOrigin = true
    do throws(TransportError) { try parser.finish(ending, into: &events) } catch {
      var error = error
      if awaitsContinue, error.kind == .connectionReset, error.phase == .awaitingHead {
        error.phase = .sending
      }
      throw error
    }
  }

  /// Returns the connection of a complete response for reuse, or closes it.
  private func settle() async throws(TransportError) {
    let scriptKeepsOpen = steps.allSatisfy { step in
      switch step {
      case .pause, .readBody, .readBodyBytes, .goAway: true
      case .send(let bytes): bytes.isEmpty
      case .sendRepeatedly, .echoBody, .close, .closeWithoutNotify, .reset, .resetStream, .stall:
        false
      }
    }
    if exchange.body.bytes != nil, !awaitsContinue { try await readBody() }
    if lease.isShared { return settleStream() }
    let clientKeepsOpen = !exchange.wire.headerFields.list(.connection).contains("close")
    guard scriptKeepsOpen, clientKeepsOpen, isUploadOver, parser.isReusable else {
      exchange.finish(closedBy: closesConnection ? .origin : .client)
      return
    }
    exchange.finishAndPark()
  }

  /// Ends the stream of a complete response on a shared connection.
  private func settleStream() {
    for case .goAway in steps {
      exchange.transport.goAway(lease.connection, lastProcessed: ordinal)
    }
    if closesConnection {
      exchange.finish(closedBy: .origin)
    } else if isUploadOver {
      exchange.finishAndPark()
    } else {
      exchange.finish(closedBy: .client)
    }
  }

  /// Whether the origin has ended the connection, or the rest of the script would.
  private var closesConnection: Bool {
    let closing: Set<ScriptStep> = [.close, .closeWithoutNotify, .reset]
    return isClosedByOrigin || steps.contains { closing.contains($0) }
  }
}

extension FakePlayer {
  /// Reads the rest of the request body.
  private func readBody() async throws(TransportError) {
    while try await readUpload(atMost: .max) != nil {}
  }

  /// Reads and records at most `limit` bytes of the request body; returns `nil` at its end.
  private func readUpload(atMost limit: Int) async throws(TransportError) -> [UInt8]? {
    guard let record, !isUploadOver else { return nil }
    if upload.isEmpty {
      if awaitsContinue {
        // The client waits for 100 (Continue) no longer than its timeout (RFC 9110 §10.1.1).
        awaitsContinue = false
        let timeout = exchange.options.continueTimeout
        guard (try? await exchange.transport.clock.pause(for: timeout)) != nil else {
          throw exchange.error(.cancelled)
        }
      }
      let reader = try uploadReader()
      guard let chunk = try await reader.next() else {
        isUploadOver = true
        exchange.transport.complete(record, trailers: try await reader.trailerFields())
        return nil
      }
      upload = chunk[...]
    }
    let bytes = Array(upload.prefix(limit))
    upload = upload.dropFirst(bytes.count)
    exchange.transport.record(bytes, of: record)
    return bytes
  }

  private func uploadReader() throws(TransportError) -> HTTPRequestBody.Reader {
    if let reader { return reader }
    let reader = try exchange.body.makeReader(length: exchange.wire.contentLength)
    self.reader = reader
    return reader
  }
}

extension HTTPResponseParser.Event {
  /// Whether this is 100 (Continue), after which the client sends its body.
  fileprivate var isContinue: Bool {
    if case .informational(let response) = self { response.status.code == 100 } else { false }
  }
}
