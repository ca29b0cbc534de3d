extension HTTPRequestBody {
  /// One reading of a body, for the transport that sends it; to be used by one task at a time.
  public actor Reader {
    private var chunks: (any AsyncIteratorProtocol)?
    private var bytes: [UInt8]?
    private let length: Int?
    private let trailers: (@Sendable () async throws -> HTTPFields)?
    private var count = 0

    init(
      chunks: (any AsyncIteratorProtocol)?, bytes: [UInt8]?, length: Int?,
      trailers: (@Sendable () async throws -> HTTPFields)?
    ) {
      self.chunks = chunks
      self.bytes = bytes
      self.length = length
      self.trailers = trailers
    }

    /// The next bytes to send, never empty; `nil` once all were given.
    ///
    /// - Throws: ``TransportError`` of kind `bodyProducerFailed` or `bodyLengthMismatch`, or
    ///   `cancelled` when the producer stops for that.
    public func next() async throws(TransportError) -> [UInt8]? {
      if let whole = bytes {
        bytes = nil
        chunks = nil
        count = whole.count
        return whole.isEmpty ? nil : whole
      }
      while let chunk = try await pull() {
        count += chunk.count
        if let length, count > length { throw mismatch(length, "at least \(count)") }
        if !chunk.isEmpty { return chunk }
      }
      if let length, count < length { throw mismatch(length, "\(count)") }
      return nil
    }

    /// The fields to send after the content; to be asked for once `next()` has given `nil`.
    ///
    /// - Throws: ``TransportError`` of kind `bodyProducerFailed` when the producer throws, or gives
    ///   a field that may not be sent.
    public func trailerFields() async throws(TransportError) -> HTTPFields {
      guard let trailers else { return [:] }
      let fields: HTTPFields
      do { fields = try await trailers() } catch { throw failure(error) }
      for field in fields {
        guard field.name.isValid, field.hasValidValue, !field.name.isForbiddenInTrailers else {
          throw TransportError(
            .bodyProducerFailed, phase: .sending, bytesSent: true,
            detail: "the trailer field \(field.name.rawName.debugDescription) may not be sent")
        }
      }
      return fields
    }

    private func pull() async throws(TransportError) -> [UInt8]? {
      guard var iterator = chunks else { return nil }
      do {
        let chunk = try await iterator.nextChunk(isolation: self)
        chunks = chunk == nil ? nil : iterator
        return chunk
      } catch {
        chunks = nil
        throw failure(error)
      }
    }

    private func failure(_ error: any Error) -> TransportError {
      if let error = error as? TransportError { return error }
      if error is CancellationError, Task.isCancelled {
        return TransportError(
          .cancelled, phase: .sending, bytesSent: true, detail: "the task was cancelled")
      }
      return TransportError(
        .bodyProducerFailed, phase: .sending, bytesSent: true,
        detail: "the producer of the request body threw \(error)", underlying: error)
    }

    private func mismatch(_ length: Int, _ given: String) -> TransportError {
      TransportError(
        .bodyLengthMismatch, phase: .sending, bytesSent: true,
        detail: "the body was declared as \(length) bytes and its producer gave \(given)")
    }
  }
}

extension HTTPField.Name {
  /// Whether the field frames, routes or controls a message, and so means nothing after its content.
  ///
  /// Source: RFC 9110 §6.5.1.
  var isForbiddenInTrailers: Bool {
    [.contentLength, .transferEncoding, .host, .trailer, .connection, .contentEncoding]
      .contains(self)
  }
}
