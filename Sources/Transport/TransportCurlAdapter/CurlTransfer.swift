import SystemLocks
import TransportPort

/// The state of one exchange that the caller and the driver thread share.
///
/// The driver thread delivers and finishes; the caller waits, takes and cancels. A cancellation
/// only posts a command. The driver thread ends the transfer, closes the connection and then
/// resumes the caller, so after a cancelled call returns, libcurl makes no callback for its
/// transfer.
final class CurlTransfer: HTTPResponseBodySource {
  /// How a transfer ended.
  enum Ending: Sendable {
    case complete(trailers: HTTPFields)
    /// Indirect, because an error is large and rare, and every transfer stores an ending.
    indirect case failed(TransportError)
  }

  /// The final head, and the interim responses before it.
  struct Head: Sendable {
    var final: HeadCache.Head
    var informational: [HTTPResponse]
  }

  /// The suspended caller.
  ///
  /// A checked continuation would allocate for each wait. The unsafe one is resumed exactly once:
  /// it is stored once, and removed under the lock by the one who resumes it ("64 concurrent,
  /// 1 KiB").
  typealias Waiter = UnsafeContinuation<Void, Never>

  /// The number of unread bytes at which the driver thread pauses reading.
  ///
  /// With a quarter of this, a reader as fast as the server made the driver thread pause and resume
  /// so often that a large download took a third longer ("download, 256 MiB").
  static let highWater = 1024 * 1024

  private struct State {
    var head: Head?
    var chunks = ChunkQueue()
    /// Buffers that the reader has returned for reuse.
    ///
    /// Memory that one thread allocates and another frees makes both contend for the heap's lock,
    /// and makes the kernel clear each page again ("download, 256 MiB").
    var spareBuffers: [[UInt8]] = []
    /// The chunk that was read last, whose memory can be reused once the reader has released it.
    var lastRead: [UInt8] = []
    var unreadBytes = 0
    var ending: Ending?
    var waiter: Waiter?
    var isReadingPaused = false
    var isCancelled = false

    /// Keeps the memory of a chunk that goes to the reader for reuse, if possible.
    mutating func recycleBuffer(of chunk: inout [UInt8]) {
      if chunk.count <= chunk.capacity / 2 {
        // A reader that keeps the chunk must not keep its unused capacity, so it gets a copy.
        var buffer = chunk.withUnsafeBytes { Array($0) }
        swap(&buffer, &chunk)
        guard ending == nil else { return }
        buffer.removeAll(keepingCapacity: true)
        spareBuffers.append(buffer)
      } else if ending == nil {
        // If the reader has kept the chunk, this allocates a new buffer and leaves the chunk alone.
        lastRead.removeAll(keepingCapacity: true)
        if lastRead.capacity > 0 { spareBuffers.append(lastRead) }
        lastRead = chunk
      } else {
        lastRead = []
      }
    }

    /// Whether the caller has something to take.
    var hasEvents: Bool { head != nil || !chunks.isEmpty || ending != nil }
  }

  let wire: WireRequest
  let options: TransportOptions
  /// The whole content of the request, if it is in memory.
  let content: [UInt8]?
  /// Whether trailer fields follow the content of the request.
  let hasTrailers: Bool
  /// The content of the request, if it is a stream.
  let upload: CurlUpload?
  /// Keeps the transport, and with it the driver thread, alive during the exchange.
  private let owner: CurlTransport
  private let state = Mutex(State())

  /// The transfer's stage. Only the driver thread reads and advances it.
  nonisolated(unsafe) var progress = TransferState()

  /// Validates a request and takes what its transfer needs.
  init(
    _ request: borrowing HTTPRequest, body: HTTPRequestBody, options: TransportOptions,
    owner: CurlTransport
  ) throws(TransportError) {
    let wire = try WireRequest(request, body: body)
    try wire.checkFieldLengths()
    try wire.checkCancellation()
    hasTrailers = body.hasTrailers
    if wire.framing == .none {
      content = []
    } else {
      content = hasTrailers ? nil : body.bytes
    }
    upload = content == nil ? try CurlUpload(wire, body: body) : nil
    self.options = options
    self.owner = owner
    self.wire = wire
  }

  /// Whether the exchange may use HTTP/2 and so share a connection.
  ///
  /// libcurl silently omits trailers over HTTP/2, so a request with trailers may not. Nor may one with a
  /// head that nghttp2 does not send: of more than 64 KiB, with what it adds for each field.
  func mayShare(_ configuration: CurlTransport.Configuration) -> Bool {
    configuration.allowsHTTP2 && wire.origin.scheme == .https && !hasTrailers
      && wire.headSize + 64 * wire.headerFields.count < 65_536
  }

  /// Starts the transfer and waits for the head.
  ///
  /// A cancellation may post `cancel` before this posts `start`. The driver thread then ignores the
  /// first command and finds the transfer cancelled when it handles the second.
  nonisolated(nonsending) func head() async throws(TransportError) -> Head {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        // Before the post, after which the driver thread may finish the transfer at any time.
        state.withLock { $0.waiter = waiter }
        if owner.driver.post(.start(self)) {
          upload?.start(for: self, driver: owner.driver)
        } else {
          finish(.failed(shutDownError(phase: .preparing, bytesSent: false)))?.resume()
        }
      }
    } onCancel: {
      cancel()
    }
    let (head, ending) = state.withLock { state in
      defer { state.head = nil }
      return (state.head, state.ending)
    }
    if let head { return head }
    if case .failed(let error) = ending { throw error }
    throw wire.error(
      .other, phase: .awaitingHead, bytesSent: true, detail: "the exchange ended without a response"
    )
  }

  /// Waits for the next part of the body.
  nonisolated(nonsending) func nextPart() async throws(TransportError) -> HTTPResponseBody.Part {
    while true {
      if let part = try readyPart() { return part }
      await withUnsafeContinuation { waiter in
        let hasEvents = state.withLock { state in
          if !state.hasEvents { state.waiter = waiter }
          return state.hasEvents
        }
        if hasEvents { waiter.resume() }
      }
    }
  }

  /// Asks the driver thread to end the transfer, which it does unless the transfer has ended.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    owner.driver.post(.cancel(self))
  }

  /// Makes the driver thread continue the transfer after a delay.
  func resumeDriver(after duration: Duration) {
    Task {
      try await ContinuousClock().pause(for: duration)
      owner.driver.post(.unpause(self))
    }
  }

  /// Whether the caller has cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether reading is paused because too much content is unread.
  var isReadingPaused: Bool { state.withLock { $0.isReadingPaused } }

  /// Creates the error of a transfer that a shutdown ended.
  func shutDownError(phase: TransportError.Phase, bytesSent: Bool) -> TransportError {
    wire.error(
      .shutDown, phase: phase, bytesSent: bytesSent, detail: "the transport was shut down")
  }

  /// Returns the next part if it is available. Resumes reading once half of the limit is unread.
  func readyPart() throws(TransportError) -> HTTPResponseBody.Part? {
    let (chunk, ending, unpauses) = state.withLock { state -> ([UInt8], Ending?, Bool) in
      guard !state.chunks.isEmpty else { return ([], state.ending, false) }
      var chunk = state.chunks.popFirst()
      state.unreadBytes -= chunk.count
      state.recycleBuffer(of: &chunk)
      let unpauses = state.isReadingPaused && state.unreadBytes <= Self.highWater / 2
      if unpauses { state.isReadingPaused = false }
      return (chunk, nil, unpauses)
    }
    if unpauses { owner.driver.post(.unpause(self)) }
    switch ending {
    case .complete(let trailers): return .end(trailers: trailers)
    case .failed(let error): throw error
    case nil: return chunk.isEmpty ? nil : .bytes(chunk)
    }
  }
}

// The interface for the driver thread.
extension CurlTransfer {
  /// Returns a buffer for content if the reader has returned one.
  func takeBuffer() -> [UInt8]? {
    state.withLock { $0.spareBuffers.popLast() }
  }

  /// Pauses reading if too much content is unread; the reader then posts `unpause`.
  func pausesReading() -> Bool {
    state.withLock { state in
      guard state.unreadBytes >= Self.highWater else { return false }
      state.isReadingPaused = true
      return true
    }
  }

  /// Delivers what was received.
  ///
  /// - Parameters:
  ///   - head: The head, once, when it is complete.
  ///   - bytes: Content that was not delivered before.
  ///   - ending: How the transfer ended, if it did.
  /// - Returns: The caller to resume, outside any lock.
  func deliver(
    head: Head? = nil, bytes: consuming [UInt8] = [], ending: consuming Ending? = nil
  ) -> Waiter? {
    state.withLock { state in
      if let head { state.head = head }
      if !bytes.isEmpty {
        state.chunks.append(bytes)
        state.unreadBytes += bytes.count
      }
      if let ending { state.ending = ending }
      guard state.hasEvents else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
  }

  /// Ends the transfer and the producer of its upload.
  ///
  /// - Returns: The caller to resume, outside any lock.
  func finish(
    head: Head? = nil, bytes: consuming [UInt8] = [], _ ending: consuming Ending
  ) -> Waiter? {
    let waiter = deliver(head: head, bytes: bytes, ending: ending)
    upload?.stop()
    return waiter
  }
}
