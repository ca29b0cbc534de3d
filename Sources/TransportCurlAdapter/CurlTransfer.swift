import ContractLocks
import TransportPort

/// What the caller of one exchange and the driver's thread share.
///
/// The driver delivers and finishes; the caller waits, takes and cancels. Every continuation is
/// taken out of the state under the lock, so that it is resumed once.
final class CurlTransfer: Sendable {
  /// A complete head with what came before it.
  struct Head: Sendable {
    var response: HTTPResponse
    var informationalResponses: [HTTPResponse]
  }

  /// From this many unread bytes on, the driver stops to read.
  static let highWater = 256 * 1024

  private struct State {
    var head: Result<Head, TransportError>?
    var headWaiter: CheckedContinuation<Result<Head, TransportError>, Never>?
    var chunks: [[UInt8]] = []
    var nextChunk = 0
    var unreadBytes = 0
    var ending: Result<HTTPFields, TransportError>?
    var bodyWaiter: CheckedContinuation<Result<HTTPResponseBody.Part, TransportError>, Never>?
    var isReadingPaused = false
    var isCancelled = false
  }

  let wire: WireRequest
  let options: TransportOptions
  let upload: CurlUpload
  private let driver: CurlDriver
  /// The transport, which is to live as long as the exchange.
  private let owner: CurlTransport
  private let state = Mutex(State())

  /// The handle that carries the transfer out; touched by the driver's thread alone, and by it both
  /// when it is set and when it is read, so there is nothing to race with.
  nonisolated(unsafe) var handle: CurlHandle?

  init(
    _ wire: WireRequest, body: HTTPRequestBody, options: TransportOptions, driver: CurlDriver,
    owner: CurlTransport
  ) throws(TransportError) {
    self.wire = wire
    self.options = options
    self.driver = driver
    self.owner = owner
    self.upload = try CurlUpload(wire, body: body)
  }

  /// Whether the exchange can share a connection, as HTTP/2 allows.
  ///
  /// libcurl sends no trailers over HTTP/2, and says nothing of that.
  func mayShare(_ configuration: CurlTransport.Configuration) -> Bool {
    configuration.allowsHTTP2 && wire.origin.scheme == .https && !upload.hasTrailers
  }

  /// Starts the transfer and waits for the head.
  func head() async -> Result<Head, TransportError> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.headWaiter = continuation }
        guard driver.post(.start(self)) else {
          finish(.failure(shutDownError(phase: .preparing, bytesSent: false)))
          return
        }
        upload.start(for: self, driver: driver)
      }
    } onCancel: {
      cancel()
    }
  }

  /// Waits for the next part of the body.
  func nextPart() async throws(TransportError) -> HTTPResponseBody.Part {
    if let part = takePart() { return try part.get() }
    return try await withCheckedContinuation { continuation in
      let part = state.withLock { state in
        let part = Self.takePart(&state)
        if part == nil { state.bodyWaiter = continuation }
        return part
      }
      if let part { continuation.resume(returning: settle(part)) }
    }.get()
  }

  /// Asks the driver to end the transfer, unless it has ended.
  func cancel() {
    let isRunning = state.withLock { state in
      defer { state.isCancelled = true }
      return state.ending == nil && !state.isCancelled
    }
    if isRunning { driver.post(.cancel(self)) }
  }

  /// Whether the caller has given up.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether the driver was told to stop reading, since so much is unread.
  var isReadingPaused: Bool { state.withLock { $0.isReadingPaused } }

  func shutDownError(phase: TransportError.Phase, bytesSent: Bool) -> TransportError {
    wire.error(
      .shutDown, phase: phase, bytesSent: bytesSent, detail: "the transport was shut down")
  }
}

extension CurlTransfer {
  private typealias Part = Result<HTTPResponseBody.Part, TransportError>

  /// A part and whether the driver may read on.
  private struct Taken {
    var part: Part
    var unpauses = false
  }

  private func takePart() -> Part? {
    state.withLock { Self.takePart(&$0) }.map(settle)
  }

  private func settle(_ taken: Taken) -> Part {
    if taken.unpauses { driver.post(.unpause(self)) }
    return taken.part
  }

  private static func takePart(_ state: inout State) -> Taken? {
    if state.nextChunk < state.chunks.count {
      var chunk: [UInt8] = []
      swap(&chunk, &state.chunks[state.nextChunk])
      state.nextChunk += 1
      if state.nextChunk == state.chunks.count {
        state.chunks.removeAll(keepingCapacity: true)
        state.nextChunk = 0
      }
      state.unreadBytes -= chunk.count
      let unpauses = state.isReadingPaused && state.unreadBytes <= highWater / 2
      if unpauses { state.isReadingPaused = false }
      return Taken(part: .success(.bytes(chunk)), unpauses: unpauses)
    }
    return state.ending.map { Taken(part: $0.map { .end(trailers: $0) }) }
  }
}

// The driver's side.
extension CurlTransfer {
  /// Whether so much is unread that the driver must stop to read until it is told to go on.
  func pausesReading() -> Bool {
    state.withLock { state in
      guard state.unreadBytes >= Self.highWater else { return false }
      state.isReadingPaused = true
      return true
    }
  }

  /// Hands over what has come; the caller is woken by what it waits for.
  ///
  /// - Parameters:
  ///   - head: The head, once, as soon as it is complete.
  ///   - bytes: Content that was not handed over before.
  ///   - ending: How the transfer ended, if it did.
  func deliver(
    head: Head? = nil, bytes: [UInt8] = [], ending: Result<HTTPFields, TransportError>? = nil
  ) {
    let (headWaiter, headResult, bodyWaiter, part) = state.withLock { state in
      if state.head == nil {
        if let head {
          state.head = .success(head)
        } else if case .failure(let error) = ending {
          state.head = .failure(error)
        }
      }
      if !bytes.isEmpty {
        state.chunks.append(bytes)
        state.unreadBytes += bytes.count
      }
      if let ending, state.ending == nil {
        state.ending = ending
        if state.isCancelled, case .failure = ending {
          // Whoever gave up is not kept waiting by what it did not read.
          state.chunks = []
          state.nextChunk = 0
          state.unreadBytes = 0
        }
      }
      let headWaiter = state.head == nil ? nil : state.headWaiter
      if headWaiter != nil { state.headWaiter = nil }
      let part = state.bodyWaiter == nil ? nil : Self.takePart(&state)?.part
      let bodyWaiter = part == nil ? nil : state.bodyWaiter
      if bodyWaiter != nil { state.bodyWaiter = nil }
      return (headWaiter, state.head, bodyWaiter, part)
    }
    if let headWaiter, let headResult { headWaiter.resume(returning: headResult) }
    if let bodyWaiter, let part { bodyWaiter.resume(returning: part) }
  }

  /// Ends the transfer and whatever produces its upload.
  func finish(
    head: Head? = nil, bytes: [UInt8] = [], _ ending: Result<HTTPFields, TransportError>
  ) {
    deliver(head: head, bytes: bytes, ending: ending)
    upload.stop()
  }
}
