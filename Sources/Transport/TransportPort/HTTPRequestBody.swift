/// The content of a request, pulled by the transport as fast as it can be written.
///
/// Pulling is the backpressure: nothing asks the producer for a chunk before there is room for it.
public struct HTTPRequestBody: Sendable {
  /// No content: no Content-Length on GET, zero on POST, PUT and PATCH.
  public static let none = Self(length: 0, isReplayable: true, bytes: [], isNone: true)

  /// The number of bytes, where it is known before the first is sent.
  public let length: Int?

  /// Whether the content can be sent again, for a redirect or a retry.
  public let isReplayable: Bool

  /// The whole content, where it is in memory.
  public private(set) var bytes: [UInt8]?

  /// Whether there is no content at all, which is not the same as empty content.
  public let isNone: Bool

  /// Whether trailer fields follow the content, which makes it chunked.
  public var hasTrailers: Bool { trailers != nil }

  /// Whether a reading can begin: the first, or a further one of a replayable body.
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

  /// Content in memory, which may be empty.
  public static func bytes(_ bytes: [UInt8]) -> Self {
    Self(length: bytes.count, isReplayable: true, bytes: bytes)
  }

  /// Text, sent as UTF-8.
  public static func text(_ text: String) -> Self {
    bytes(Array(text.utf8))
  }

  /// Content that is made while it is sent.
  ///
  /// - Parameters:
  ///   - chunks: The content in pieces of any size; what it throws fails the request with
  ///     ``TransportError/Kind-swift.enum/bodyProducerFailed`` and closes the connection.
  ///   - length: The number of bytes; `nil` sends the content chunked. A producer that gives more or
  ///     fewer fails the request with ``TransportError/Kind-swift.enum/bodyLengthMismatch``.
  ///   - isReplayable: Whether `chunks` gives the same content each time it is iterated.
  ///   - trailers: Fields to send after the content, asked for when it has ended; the content is
  ///     then sent chunked.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int? = nil, isReplayable: Bool = false,
    trailers: (@Sendable () async throws -> HTTPFields)? = nil
  ) -> Self where Chunks.Element == [UInt8] {
    Self(
      length: length, isReplayable: isReplayable,
      makeChunks: { chunks.makeAsyncIterator() }, trailers: trailers)
  }

  /// Begins to read the content: once, or any number of times where it is replayable.
  ///
  /// - Parameter length: The length to hold the producer to, where the request's head declares one.
  /// - Throws: ``TransportError`` of kind `bodyNotReplayable` on a second reading of a one-shot body.
  public func makeReader(length: Int? = nil) throws(TransportError) -> Reader {
    if let use, use.take() == nil {
      throw TransportError(
        .bodyNotReplayable, phase: .preparing, bytesSent: false,
        detail: "the body was read before and cannot be produced again")
    }
    return Reader(
      chunks: makeChunks?(), bytes: bytes, length: length ?? self.length, trailers: trailers)
  }

  /// The same body, with each piece made known as it is handed over.
  ///
  /// - Parameter report: Gets the number of bytes handed to the transport so far, counted anew for
  ///   each reading. A body in memory is handed over in pieces of 64 KiB.
  /// - Returns: A body that shares its one reading with this one where it is not replayable.
  public func reportingProgress(_ report: @escaping @Sendable (_ sent: Int) -> Void) -> Self {
    guard !isNone else { return self }
    var copy = self
    copy.makeChunks = { [makeChunks, bytes] in
      ReportingIterator(
        base: makeChunks?() ?? PieceIterator(rest: (bytes ?? [])[...]), report: report)
    }
    copy.bytes = nil
    return copy
  }
}

/// Hands out the chunks of another iterator and reports their number of bytes.
private struct ReportingIterator: AsyncIteratorProtocol {
  var base: any AsyncIteratorProtocol
  let report: @Sendable (Int) -> Void
  var count = 0

  mutating func next() async throws -> [UInt8]? {
    try await next(isolation: nil)
  }

  mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
    guard let chunk = try await base.nextChunk(isolation: actor) else { return nil }
    count += chunk.count
    report(count)
    return chunk
  }
}

/// Hands out bytes in memory piece by piece.
private struct PieceIterator: AsyncIteratorProtocol {
  var rest: ArraySlice<UInt8>

  mutating func next() async -> [UInt8]? {
    let piece = rest.prefix(65_536)
    rest = rest.dropFirst(piece.count)
    return piece.isEmpty ? nil : Array(piece)
  }
}

extension AsyncIteratorProtocol {
  /// The next element, which is a chunk of bytes for every iterator that a body can hold.
  mutating func nextChunk(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
    try await next(isolation: isolation) as? [UInt8]
  }
}
