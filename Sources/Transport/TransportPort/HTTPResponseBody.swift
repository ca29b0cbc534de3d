import Synchronization

/// The content of a response: chunks of bytes in order, to be read once.
///
/// Nothing is fetched before it is asked for, apart from a bounded buffer. When the last copy of a
/// body that has not been read to its end is dropped, its connection is released.
public struct HTTPResponseBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = TransportError

  /// What a transport gives when it is asked for more.
  public enum Part: Sendable, Hashable {
    /// The next bytes, never empty.
    case bytes([UInt8])
    /// The end, with the trailer fields.
    case end(trailers: HTTPFields)
  }

  private let stream: Stream

  /// A body, for the transport or policy that makes one.
  ///
  /// - Parameters:
  ///   - next: Gives the next part. It is called by one task at a time, and not again after the end
  ///     or an error.
  ///   - cancel: Closes the source at once, and makes a waiting `next` throw `cancelled`. It is
  ///     called when the reading task is cancelled or the body is dropped before its end, perhaps
  ///     more than once, from any thread.
  public init(
    next: nonisolated(nonsending) @escaping @Sendable () async throws(TransportError) -> Part,
    cancel: @escaping @Sendable () -> Void
  ) {
    self.init(ClosureSource(next: next, close: cancel))
  }

  /// A body that comes from a source.
  package init(_ source: some HTTPResponseBodySource) {
    stream = Stream(source)
  }

  /// A body of which everything is at hand.
  public init(_ bytes: [UInt8], trailers: HTTPFields = [:]) {
    let rest = Once(bytes)
    self.init(
      next: { () throws(TransportError) in
        if let bytes = rest.take(), !bytes.isEmpty { return .bytes(bytes) }
        return .end(trailers: trailers)
      },
      cancel: {})
  }

  /// The fields that came after the content; `nil` until it was read to its end.
  public var trailerFields: HTTPFields? { stream.trailerFields }

  /// Closes the connection without reading on.
  public func cancel() {
    stream.cancel()
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stream: stream)
  }

  /// Reads on from where the body stands; several iterators of one body share its chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let stream: Stream

    public mutating func next() async throws(TransportError) -> [UInt8]? {
      try await stream.next()
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(TransportError) -> [UInt8]? {
      try await stream.next()
    }
  }

  /// Reads the whole body into memory.
  ///
  /// - Parameter limit: The most bytes to take.
  /// - Returns: The content.
  /// - Throws: ``TransportError``: of kind `responseTooLarge` beyond the limit, which also closes
  ///   the connection, or whatever ends the body early.
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
  /// The shared state of all copies of a body.
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

    /// How the body ended. Each is written once, by the one reader that then leaves `reading` for
    /// `ended` or `failed`, and read by those that see that state: its release and their acquire
    /// have the writing come before the reading.
    nonisolated(unsafe) private var trailers: HTTPFields = [:]
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

    /// The next chunk; `nil` at the end.
    ///
    /// Made part of its callers: most chunks are there, and a call that may wait costs as much as
    /// to take one.
    @inline(__always)
    nonisolated(nonsending) func next() async throws(TransportError) -> [UInt8]? {
      switch try look() {
      case .ready(let chunk): return chunk
      case .pending: return try await wait()
      }
    }

    /// What is to be had without waiting.
    private enum Look {
      case ready([UInt8]?)
      /// Nothing; the stream is now being read, and the reader has to wait.
      case pending
    }

    private func look() throws(TransportError) -> Look {
      let (isIdle, was) = state.compareExchange(
        expected: .idle, desired: .reading, ordering: .acquiringAndReleasing)
      guard isIdle else {
        try throwUnlessEnded(was)
        return .ready(nil)
      }
      guard !Task.isCancelled else {
        source.cancel()
        throw failed(.cancelledBody)
      }
      do throws(TransportError) {
        guard let part = try source.readyPart() else { return .pending }
        return .ready(took(part))
      } catch {
        throw failed(error)
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
      case .success(let part): return took(part)
      case .failure(let error): throw failed(error)
      }
    }

    /// Ends the reading of a part.
    private func took(_ part: Part) -> [UInt8]? {
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

    /// Ends the reading with an error.
    private func failed(_ error: TransportError) -> TransportError {
      failure = error
      state.store(.failed, ordering: .releasing)
      return error
    }

    /// Turns away a reader that finds the body in another state than idle, unless it has ended.
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
  /// The reading of a body was given up.
  static let cancelledBody = TransportError(
    .cancelled, phase: .receivingBody, bytesSent: true,
    detail: "the body was cancelled before its end")
}
