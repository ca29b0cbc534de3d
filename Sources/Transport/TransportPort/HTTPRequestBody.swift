/// The content of a request, which the transport pulls as fast as it can send it.
///
/// Pulling is the backpressure: the transport asks for the next chunk only when it has room for it.
public struct HTTPRequestBody: Sendable {
  /// No content: no Content-Length field, except for POST, PUT and PATCH, where it is 0.
  public static let none = Self(length: 0, isReplayable: true, bytes: [], isNone: true)

  /// The number of bytes, or `nil` if it is unknown before the content ends.
  public let length: Int?

  /// Whether the content can be sent more than once, as a redirect or a retry may need.
  public let isReplayable: Bool

  /// The whole content, if it is in memory.
  public private(set) var bytes: [UInt8]?

  /// Whether there is no content at all, which differs from content of zero bytes.
  public let isNone: Bool

  /// Whether trailer fields follow the content; such a body is sent chunked.
  public var hasTrailers: Bool { trailers != nil }

  /// Whether `makeReader` would succeed: the body is unread or replayable.
  var canBeSentAgain: Bool { use?.isTaken != true }

  private var makeChunks: (@Sendable () -> any AsyncIteratorProtocol)?
  private let trailers: (@Sendable () async throws -> HTTPFields)?
  private let use: Once<Void>?

  private init(
    length: Int?, isReplayable: Bool, bytes: [UInt8]? = nil, isNone: Bool = false,
    makeChunks: (@Sendable () -> any AsyncIteratorProtocol)? = nil,
    trailers: (@Sendable () async throws -> HTTPFields)? = nil
  ) {
    self.length = length
    self.isReplayable = isReplayable
    self.bytes = bytes
    self.isNone = isNone
    self.makeChunks = makeChunks
    self.trailers = trailers
    self.use = isReplayable ? nil : Once(())
  }

  /// Creates a body of bytes in memory, possibly empty.
  public static func bytes(_ bytes: [UInt8]) -> Self {
    Self(length: bytes.count, isReplayable: true, bytes: bytes)
  }

  /// Creates a body of text in UTF-8.
  public static func text(_ text: String) -> Self {
    bytes(Array(text.utf8))
  }

  /// Creates a body that is produced while it is sent.
  ///
  /// - Parameters:
  ///   - chunks: The content in chunks of any size. If it throws, the request fails with
  ///     ``TransportError/Kind-swift.enum/bodyProducerFailed`` and the connection is closed.
  ///   - length: The number of bytes; `nil` sends the content chunked. If `chunks` produces more or
  ///     fewer bytes, the request fails with
  ///     ``TransportError/Kind-swift.enum/bodyLengthMismatch``.
  ///   - isReplayable: Whether every iteration of `chunks` produces the same content.
  ///   - trailers: Returns the fields to send after the content; called when the content has ended.
  ///     A body with trailers is always sent chunked.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int? = nil, isReplayable: Bool = false,
    trailers: (@Sendable () async throws -> HTTPFields)? = nil
  ) -> Self where Chunks.Element == [UInt8] {
    Self(
      length: length, isReplayable: isReplayable,
      makeChunks: { chunks.makeAsyncIterator() }, trailers: trailers)
  }

  /// Starts reading the content.
  ///
  /// - Parameter length: The length that the request's head declares, which the producer must
  ///   match.
  /// - Throws: ``TransportError`` of kind `bodyNotReplayable` if the body was read before and is
  ///   not replayable.
  public func makeReader(length: Int? = nil) throws(TransportError) -> Reader {
    if let use, use.take() == nil {
      throw TransportError(
        .bodyNotReplayable, phase: .preparing, bytesSent: false,
        detail: "the body was read before; pass isReplayable: true if it can be produced again")
    }
    return Reader(
      chunks: makeChunks?(), bytes: bytes, length: length ?? self.length, trailers: trailers)
  }

  /// Returns a body that reports the progress of the upload.
  ///
  /// - Parameter report: Receives the number of bytes that the transport has taken so far, starting
  ///   at zero for each attempt. A body in memory is taken in chunks of 64 KiB.
  /// - Returns: A body with the same content. If this body is not replayable, reading either of the
  ///   two uses up both.
  public func reportingProgress(_ report: @escaping @Sendable (_ sent: Int) -> Void) -> Self {
    guard !isNone else { return self }
    var copy = self
    copy.makeChunks = { [makeChunks, bytes] in
      ReportingIterator(
        base: makeChunks?() ?? MemoryIterator(rest: (bytes ?? [])[...]), report: report)
    }
    copy.bytes = nil
    return copy
  }
}

/// Iterates over the chunks of another iterator and reports the number of bytes.
private struct ReportingIterator: AsyncIteratorProtocol {
  var base: any AsyncIteratorProtocol
  let report: @Sendable (Int) -> Void
  var count = 0

  mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
    guard let chunk = try await base.nextChunk(isolation: actor) else { return nil }
    count += chunk.count
    report(count)
    return chunk
  }
}

/// Iterates over bytes in memory in chunks of 64 KiB.
private struct MemoryIterator: AsyncIteratorProtocol {
  var rest: ArraySlice<UInt8>

  mutating func next() async -> [UInt8]? {
    let chunk = rest.prefix(65_536)
    rest = rest.dropFirst(chunk.count)
    return chunk.isEmpty ? nil : Array(chunk)
  }
}

extension AsyncIteratorProtocol {
  /// Returns the next element; `stream` accepts only sequences of `[UInt8]`, so the cast succeeds.
  mutating func nextChunk(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
    try await next(isolation: isolation) as? [UInt8]
  }
}
