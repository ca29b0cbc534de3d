import ContractLocks

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
    self.stream = Stream(next: next, cancel: cancel)
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
    private enum State {
      case idle
      case reading
      case ended(HTTPFields)
      case failed(TransportError)
    }

    private let state = Mutex(State.idle)
    private let source: nonisolated(nonsending) @Sendable () async throws(TransportError) -> Part
    private let cancelSource: @Sendable () -> Void

    init(
      next: nonisolated(nonsending) @escaping @Sendable () async throws(TransportError) -> Part,
      cancel: @escaping @Sendable () -> Void
    ) {
      self.source = next
      self.cancelSource = cancel
    }

    deinit {
      switch state.withLock({ $0 }) {
      case .idle, .reading: cancelSource()
      case .ended, .failed: break
      }
    }

    var trailerFields: HTTPFields? {
      state.withLock { if case .ended(let trailers) = $0 { trailers } else { nil } }
    }

    func cancel() {
      let isOpen = state.withLock { state in
        switch state {
        case .idle:
          state = .failed(.cancelledBody)
          return true
        case .reading:
          return true
        case .ended, .failed:
          return false
        }
      }
      if isOpen { cancelSource() }
    }

    nonisolated(nonsending) func next() async throws(TransportError) -> [UInt8]? {
      let begun: Result<Bool, TransportError> = state.withLock { state in
        switch state {
        case .idle:
          state = .reading
          return .success(true)
        case .ended: return .success(false)
        case .failed(let error): return .failure(error)
        case .reading:
          return .failure(
            TransportError(
              .concurrentBodyRead, phase: .receivingBody, bytesSent: true,
              detail: "another task is reading this body; read it from one task"))
        }
      }
      guard try begun.get() else { return nil }
      let result = await withTaskCancellationHandler { () -> Result<Part, TransportError> in
        if Task.isCancelled { return .failure(.cancelledBody) }
        do throws(TransportError) { return .success(try await source()) } catch {
          return .failure(error)
        }
      } onCancel: {
        cancelSource()
      }
      switch result {
      case .success(.bytes(let bytes)):
        state.withLock { $0 = .idle }
        return bytes
      case .success(.end(let trailers)):
        state.withLock { $0 = .ended(trailers) }
        return nil
      case .failure(let error):
        state.withLock { $0 = .failed(error) }
        throw error
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
