import SystemLocks
import TransportPort

/// Records one exchange as its parts pass through.
final class ExchangeRecorder: Sendable {
  private struct State {
    var entry: HTTPArchive.Entry
    var sent = Recorded()
    var received = Recorded()
    var hasHead = false
    var isEnded = false
  }

  /// Content up to a limit.
  private struct Recorded {
    var bytes: [UInt8] = []
    var count = 0
    /// The length that a request declares, if it does.
    var length: Int?
    /// Whether the content was read to its end. A transport does not read all of a request's content if
    /// the connection is refused or the response arrives first.
    var isWhole = true

    mutating func append(_ new: [UInt8], limit: Int) {
      count += new.count
      if count <= limit { bytes += new } else { bytes = [] }
    }

    var body: HTTPArchive.Entry.Body {
      guard isWhole else { return .unknown(size: length ?? -1) }
      return bytes.count == count ? .bytes(bytes) : .unknown(size: count)
    }
  }

  private let state: Mutex<State>
  private let bodyLimit: Int
  private let elapsed: @Sendable () -> Double

  init(
    _ request: HTTPRequest, _ wire: WireRequest, started: Double, clock: any Clock<Duration>,
    bodyLimit: Int
  ) {
    // The user and password of the URL are never sent, but may be sent back.
    let authority = request.authority
    let userinfo = authority.flatMap { text in text.lastIndex(of: "@").map { text[...$0] } }
    let sent = HTTPRequest(
      method: wire.method, scheme: wire.origin.scheme.rawValue,
      authority: (userinfo ?? "") + wire.origin.authority, path: wire.target,
      headerFields: wire.headerFields)
    state = Mutex(State(entry: HTTPArchive.Entry(started: started, request: sent)))
    self.bodyLimit = bodyLimit
    self.elapsed = Self.stopwatch(clock)
  }

  /// The whole exchange; `nil` while it is in progress.
  var ended: HTTPArchive.Entry? { state.withLock { $0.isEnded ? $0.entry : nil } }

  /// Records the head of the response.
  func receiveHead(of exchange: HTTPExchange) {
    let time = elapsed()
    state.withLock { state in
      state.hasHead = true
      state.entry.waited = time
      state.entry.response = HTTPArchive.Entry.Response(
        head: exchange.response, informational: exchange.informationalResponses)
    }
  }

  /// Records how the exchange ended. Only the first end counts.
  func end(_ result: Result<HTTPFields, TransportError>) {
    let time = elapsed()
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnded = true
      state.entry.requestBody = state.sent.body
      if state.hasHead {
        state.entry.received = time - state.entry.waited
      } else {
        state.entry.waited = time
      }
      state.entry.response?.body = state.received.body
      switch result {
      case .success(let trailers): state.entry.response?.trailers = trailers
      case .failure(let error): state.entry.failure = RecordedFailure(error)
      }
    }
  }

  /// Returns a body with the same content, which is recorded while it is sent.
  func record(_ body: HTTPRequestBody) -> HTTPRequestBody {
    if let bytes = body.bytes {
      state.withLock { $0.sent.append(bytes, limit: bodyLimit) }
      return body
    }
    // A transport that knows the length may stop before it reads the end.
    let unread = Recorded(length: body.length, isWhole: body.length == 0)
    state.withLock { $0.sent = unread }
    let box = ReaderBox()
    let chunks = RecordedChunks { [self] in
      // A retry sends the content from its beginning.
      state.withLock { $0.sent = unread }
      return Result { () throws(TransportError) in try body.makeReader() }.map { reader in
        box.reader.withLock { $0 = reader }
        return reader
      }
    } onChunk: { [self] chunk in
      state.withLock { state in
        if let chunk { state.sent.append(chunk, limit: bodyLimit) }
        if chunk == nil || state.sent.count == body.length { state.sent.isWhole = true }
      }
    }
    let trailers: (@Sendable () async throws -> HTTPFields) = { [self] in
      guard let reader = box.reader.withLock({ $0 }) else { return [:] }
      let fields = try await reader.trailerFields()
      state.withLock { $0.entry.requestTrailers = fields }
      return fields
    }
    return .stream(
      chunks, length: body.length, isReplayable: body.isReplayable,
      trailers: body.hasTrailers ? trailers : nil)
  }

  /// Returns a body with the same content, which is recorded while it is read.
  func record(_ body: HTTPResponseBody) -> HTTPResponseBody {
    HTTPResponseBody(
      next: { [self] () async throws(TransportError) in
        var iterator = body.makeAsyncIterator()
        do throws(TransportError) {
          guard let bytes = try await iterator.next() else {
            let trailers = body.trailerFields ?? [:]
            end(.success(trailers))
            return .end(trailers: trailers)
          }
          state.withLock { $0.received.append(bytes, limit: bodyLimit) }
          return .bytes(bytes)
        } catch {
          end(.failure(error))
          throw error
        }
      },
      cancel: { [self] in
        body.cancel()
        let error = TransportError(
          .cancelled, phase: .receivingBody, bytesSent: true,
          detail: "the caller did not read the body to its end")
        end(.failure(error))
      })
  }

  // Opens the existential: a generic function is the only way to name the clock's instant type.
  private static func stopwatch<Time: Clock<Duration>>(
    _ clock: Time
  ) -> @Sendable () -> Double {
    let start = clock.now
    return {
      let parts = start.duration(to: clock.now).components
      return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }
  }
}

/// The reader of the current attempt, which chunks and trailers share.
private final class ReaderBox: Sendable {
  let reader = Mutex<HTTPRequestBody.Reader?>(nil)
}

/// The chunks of another body.
private struct RecordedChunks: AsyncSequence, Sendable {
  typealias Element = [UInt8]

  let makeReader: @Sendable () -> Result<HTTPRequestBody.Reader, TransportError>
  /// Receives each chunk, and `nil` at the end.
  let onChunk: @Sendable ([UInt8]?) -> Void

  struct AsyncIterator: AsyncIteratorProtocol {
    let reader: Result<HTTPRequestBody.Reader, TransportError>
    let onChunk: @Sendable ([UInt8]?) -> Void

    mutating func next() async throws -> [UInt8]? {
      let chunk = try await reader.get().next()
      onChunk(chunk)
      return chunk
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: makeReader(), onChunk: onChunk)
  }
}
