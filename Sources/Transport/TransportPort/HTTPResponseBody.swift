import Synchronization

/// The content of a response: an asynchronous sequence of byte chunks that can be read once.
///
/// The transport reads ahead only up to a bounded buffer. All copies of a body and all its
/// iterators share one position. Read from one task at a time; a second concurrent reader gets an
/// error of kind ``TransportError/Kind-swift.enum/concurrentBodyRead``. Releasing the last copy
/// before the end releases the connection.
public struct HTTPResponseBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = TransportError

  /// One element of a body as a transport produces it.
  public enum Part: Sendable, Hashable {
    /// The next bytes, never empty.
    case bytes([UInt8])
    /// The end of the body, with the trailer fields.
    case end(trailers: HTTPFields)
  }

  private let stream: Stream

  /// Creates a body from closures; for transports and policies.
  ///
  /// - Parameters:
  ///   - next: Returns the next part. One task at a time calls it, and none after the end or an
  ///     error.
  ///   - cancel: Closes the source at once and makes a suspended `next` throw an error of kind
  ///     `cancelled`. It is called when the reading task is cancelled or the body is released
  ///     before its end, possibly more than once and from any thread.
  public init(
    next: nonisolated(nonsending) @escaping @Sendable () async throws(TransportError) -> Part,
    cancel: @escaping @Sendable () -> Void
  ) {
    self.init(ClosureSource(next: next, close: cancel))
  }

  /// Creates a body from a source.
  package init(_ source: some HTTPResponseBodySource) {
    stream = Stream(source)
  }

  /// Creates a body of bytes in memory.
  public init(_ bytes: [UInt8], trailers: HTTPFields = [:]) {
    let rest = Once(bytes)
    self.init(
      next: { () throws(TransportError) in
        if let bytes = rest.take(), !bytes.isEmpty { return .bytes(bytes) }
        return .end(trailers: trailers)
      },
      cancel: {})
  }

  /// The fields received after the content; `nil` until the body was read to its end.
  public var trailerFields: HTTPFields? { stream.trailerFields }

  /// Closes the connection and discards the rest of the body.
  public func cancel() {
    stream.cancel()
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: stream)
  }

  /// Reads from the body's current position; all iterators of one body share it.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let stream: Stream

    public mutating func next() async throws(TransportError) -> [UInt8]? {
      try await stream.next()
    }

    public nonisolated(nonsending) mutating func next(
      isolation actor: (any Actor)?
    ) async throws(TransportError) -> [UInt8]? {
      try await stream.next()
    }
  }

  /// Reads the whole body into memory.
  ///
  /// - Parameter limit: The maximum number of bytes.
  /// - Returns: The content.
  /// - Throws: ``TransportError``: of kind `responseTooLarge` if the body exceeds the limit, which
  ///   also closes the connection, or the error that ended the body.
  public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
    var whole: [UInt8] = []
    while let chunk = try await stream.next() {
      guard chunk.count <= limit - whole.count else {
        cancel()
        throw TransportError(
          .responseTooLarge(limit: limit), phase: .receivingBody, bytesSent: true,
          detail: "the body is larger than \(limit) bytes; raise the limit or stream it")
      }
      if whole.isEmpty { whole = chunk } else { whole += chunk }
    }
    return whole
  }
}

extension HTTPResponseBody {
  /// The state that all copies of a body share.
  fileprivate final class Stream: Sendable {
    private enum State: UInt8, AtomicRepresentable {
      case idle
      case reading
      case ended
      case failed
      case cancelled
    }

    private let state = Atomic(State.idle)
    private let source: any HTTPResponseBodySource

    // How the body ended. Only the one reader that holds `reading` writes them, before it stores
    // `ended` or `failed` with release ordering. Others read them only after they have loaded that
    // state with acquire ordering, so the write happens before every read.
    nonisolated(unsafe) private var trailers = HTTPFields()
    nonisolated(unsafe) private var failure: TransportError?

    init(_ source: any HTTPResponseBodySource) {
      self.source = source
    }

    deinit {
      switch state.load(ordering: .acquiring) {
      case .idle, .reading: source.cancel()
      case .ended, .failed, .cancelled: break
      }
    }

    var trailerFields: HTTPFields? {
      state.load(ordering: .acquiring) == .ended ? trailers : nil
    }

    func cancel() {
      let (isIdle, was) = state.compareExchange(
        expected: .idle, desired: .cancelled, ordering: .acquiringAndReleasing)
      if isIdle || was == .reading { source.cancel() }
    }

    /// Returns the next chunk, or `nil` at the end.
    ///
    /// Inlined into its callers: most chunks are available at once, and an asynchronous call costs
    /// as much as taking one.
    @inline(__always)
    nonisolated(nonsending) func next() async throws(TransportError) -> [UInt8]? {
      switch try poll() {
      case .ready(let chunk): return chunk
      case .pending: return try await wait()
      }
    }

    /// The result of a read that does not suspend.
    private enum Poll {
      case ready([UInt8]?)
      /// Nothing is available; the state is `reading` and the caller must call `wait()`.
      case pending
    }

    private func poll() throws(TransportError) -> Poll {
      let (isIdle, was) = state.compareExchange(
        expected: .idle, desired: .reading, ordering: .acquiringAndReleasing)
      guard isIdle else {
        try throwUnlessEnded(was)
        return .ready(nil)
      }
      guard !Task.isCancelled else {
        source.cancel()
        throw failReading(.cancelledBody)
      }
      do throws(TransportError) {
        guard let part = try source.readyPart() else { return .pending }
        return .ready(finishReading(part))
      } catch {
        throw failReading(error)
      }
    }

    private nonisolated(nonsending) func wait() async throws(TransportError) -> [UInt8]? {
      let result: Result<Part, TransportError> = await withTaskCancellationHandler {
        do throws(TransportError) { return .success(try await source.nextPart()) } catch {
          return .failure(error)
        }
      } onCancel: {
        source.cancel()
      }
      switch result {
      case .success(let part): return finishReading(part)
      case .failure(let error): throw failReading(error)
      }
    }

    /// Leaves the state `reading` with a part.
    private func finishReading(_ part: Part) -> [UInt8]? {
      switch part {
      case .bytes(let bytes):
        state.store(.idle, ordering: .releasing)
        return bytes
      case .end(let trailers):
        self.trailers = trailers
        state.store(.ended, ordering: .releasing)
        return nil
      }
    }

    /// Leaves the state `reading` with an error.
    private func failReading(_ error: TransportError) -> TransportError {
      failure = error
      state.store(.failed, ordering: .releasing)
      return error
    }

    /// Throws the error of a state that does not allow reading; returns if the body has ended.
    private func throwUnlessEnded(_ state: State) throws(TransportError) {
      switch state {
      case .ended: return
      case .failed: throw failure ?? .cancelledBody
      case .cancelled: throw .cancelledBody
      case .idle, .reading:
        throw TransportError(
          .concurrentBodyRead, phase: .receivingBody, bytesSent: true,
          detail: "another task is reading this body; read it from one task")
      }
    }
  }
}

extension TransportError {
  /// The error of reading a cancelled body.
  static let cancelledBody = TransportError(
    .cancelled, phase: .receivingBody, bytesSent: true,
    detail: "the body was cancelled before its end")
}
