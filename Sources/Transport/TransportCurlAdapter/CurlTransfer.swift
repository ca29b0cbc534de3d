import SystemLocks
import TransportPort

/// What the caller of one exchange and the driver's thread share.
///
/// The driver delivers and finishes; the caller waits, takes and cancels.
final class CurlTransfer: HTTPResponseBodySource {
  /// A complete head with what came before it.
  struct Head: Sendable {
    var response: HTTPResponse
    var informationalResponses: [HTTPResponse]
  }

  /// How a transfer ended.
  enum Ending: Sendable {
    case complete(trailers: HTTPFields)
    /// Out of line, since an error has many parts, and few transfers one.
    indirect case failed(TransportError)
  }

  /// The caller, while it waits for news.
  ///
  /// Unsafe, since the checked one costs an allocation for each wait, and sound: a waiter is put
  /// into the state once and resumed by whoever takes it out, both under the lock.
  typealias Waiter = UnsafeContinuation<Void, Never>

  /// From this many unread bytes on, the driver stops to read.
  ///
  /// With a quarter of that, a reader that is as fast as the server had the driver stop and go on
  /// so often that a large download took a third longer.
  static let highWater = 1024 * 1024

  private struct State {
    var head: Head?
    var chunks = ChunkQueue()
    /// Memory for chunks to come, from the reader.
    ///
    /// What one thread takes from the heap and another gives back has both wait for a lock, and
    /// the system clear each page again.
    var spaces: [[UInt8]] = []
    /// The chunk that was read last, whose memory is free as soon as the reader drops it.
    var lent: [UInt8] = []
    var unreadBytes = 0
    var ending: Ending?
    var waiter: Waiter?
    var isReadingPaused = false
    var isCancelled = false

    /// Has the memory that a chunk takes to the reader replaced.
    mutating func replaceSpace(of chunk: inout [UInt8]) {
      if chunk.count <= chunk.capacity / 2 {
        // Whoever keeps the chunk would keep what is empty as well.
        var space = chunk.withUnsafeBytes { Array($0) }
        swap(&space, &chunk)
        guard ending == nil else { return }
        space.removeAll(keepingCapacity: true)
        spaces.append(space)
      } else if ending == nil {
        // This is other memory where the reader has kept the chunk.
        lent.removeAll(keepingCapacity: true)
        if lent.capacity > 0 { spaces.append(lent) }
        lent = chunk
      } else {
        lent = []
      }
    }

    var hasNews: Bool { head != nil || !chunks.isEmpty || ending != nil }
  }

  let wire: WireRequest
  let options: TransportOptions
  /// The whole content of the request, where it is in memory.
  let content: [UInt8]?
  /// Whether fields follow the content of the request.
  let hasTrailers: Bool
  /// The content of the request, where it is not in memory.
  let upload: CurlUpload?
  /// The transport, which is to live as long as the exchange.
  private let owner: CurlTransport
  private let state = Mutex(State())

  /// Where the driver's thread has the transfer; touched by that thread alone, and by it both when
  /// it is set and when it is read, so there is nothing to race with.
  nonisolated(unsafe) var place = Place.nowhere

  /// Where a transfer is.
  enum Place {
    case nowhere
    /// Among those that came at once, and are started some at a time.
    case arrived
    /// In line for a connection.
    case waiting(CurlQueue.Lane, ticket: Int)
    case running(CurlHandle)
  }

  init(
    _ wire: WireRequest, body: HTTPRequestBody, options: TransportOptions, owner: CurlTransport
  ) throws(TransportError) {
    self.wire = wire
    self.options = options
    self.owner = owner
    hasTrailers = body.hasTrailers
    if wire.framing == .none {
      content = []
    } else {
      content = hasTrailers ? nil : body.bytes
    }
    upload = content == nil ? try CurlUpload(wire, body: body) : nil
  }

  /// Whether the exchange can share a connection, as HTTP/2 allows.
  ///
  /// libcurl sends no trailers over HTTP/2, and says nothing of that.
  func mayShare(_ configuration: CurlTransport.Configuration) -> Bool {
    configuration.allowsHTTP2 && wire.origin.scheme == .https && !hasTrailers
  }

  /// Starts the transfer and waits for the head.
  nonisolated(nonsending) func head() async throws(TransportError) -> Head {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
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
      .other, phase: .awaitingHead, bytesSent: true, detail: "the exchange ended without a head")
  }

  /// Waits for the next part of the body.
  nonisolated(nonsending) func nextPart() async throws(TransportError) -> HTTPResponseBody.Part {
    while true {
      if let part = try readyPart() { return part }
      await withUnsafeContinuation { waiter in
        let hasNews = state.withLock { state in
          if !state.hasNews { state.waiter = waiter }
          return state.hasNews
        }
        if hasNews { waiter.resume() }
      }
    }
  }

  /// Asks the driver to end the transfer, unless it has ended.
  func cancel() {
    let isRunning = state.withLock { state in
      defer { state.isCancelled = true }
      return state.ending == nil && !state.isCancelled
    }
    if isRunning { owner.driver.post(.cancel(self)) }
  }

  /// Has the driver look at the transfer again later.
  func resumeDriver(after duration: Duration) {
    Task {
      try await ContinuousClock().pause(for: duration)
      owner.driver.post(.unpause(self))
    }
  }

  /// Whether the caller has given up.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether the driver was told to stop reading, since so much is unread.
  var isReadingPaused: Bool { state.withLock { $0.isReadingPaused } }

  func shutDownError(phase: TransportError.Phase, bytesSent: Bool) -> TransportError {
    wire.error(
      .shutDown, phase: phase, bytesSent: bytesSent, detail: "the transport was shut down")
  }

  /// The next part, if it is there; tells the driver to read on where it was paused.
  func readyPart() throws(TransportError) -> HTTPResponseBody.Part? {
    let (chunk, ending, unpauses) = state.withLock { state -> ([UInt8], Ending?, Bool) in
      guard !state.chunks.isEmpty else { return ([], state.ending, false) }
      var chunk = state.chunks.popFirst()
      state.unreadBytes -= chunk.count
      state.replaceSpace(of: &chunk)
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

// The driver's side.
extension CurlTransfer {
  /// Memory for content, if the reader has given some.
  func takeSpace() -> [UInt8]? {
    state.withLock { $0.spaces.popLast() }
  }

  /// Whether so much is unread that the driver must stop to read until it is told to go on.
  func pausesReading() -> Bool {
    state.withLock { state in
      guard state.unreadBytes >= Self.highWater else { return false }
      state.isReadingPaused = true
      return true
    }
  }

  /// Hands over what has come.
  ///
  /// - Parameters:
  ///   - head: The head, once, as soon as it is complete.
  ///   - bytes: Content that was not handed over before.
  ///   - ending: How the transfer ended, if it did.
  /// - Returns: Whom to resume, when no lock is held.
  func deliver(
    head: Head? = nil, bytes: [UInt8] = [], ending: Ending? = nil
  ) -> Waiter? {
    state.withLock { state in
      if let head { state.head = head }
      if !bytes.isEmpty {
        state.chunks.append(bytes)
        state.unreadBytes += bytes.count
      }
      if let ending, state.ending == nil {
        state.ending = ending
        if state.isCancelled, case .failed = ending {
          // Whoever gave up is not kept waiting by what it did not read.
          state.chunks = ChunkQueue()
          state.unreadBytes = 0
        }
      }
      guard state.hasNews else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
  }

  /// Ends the transfer and whatever produces its upload.
  ///
  /// - Returns: Whom to resume, when no lock is held.
  func finish(
    head: Head? = nil, bytes: [UInt8] = [], _ ending: Ending
  ) -> Waiter? {
    let waiter = deliver(head: head, bytes: bytes, ending: ending)
    upload?.stop()
    return waiter
  }
}
