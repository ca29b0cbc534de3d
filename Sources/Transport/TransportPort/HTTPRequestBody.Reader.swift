extension HTTPRequestBody {
  /// Reads a request body once, for the transport that sends it. Use it from one task at a time.
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

    /// Returns the next bytes to send, never empty, or `nil` at the end.
    ///
    /// - Throws: ``TransportError`` of kind `bodyProducerFailed` or `bodyLengthMismatch`, or
    ///   `cancelled` if the producer throws `CancellationError` or ends because the task was
    ///   cancelled.
    public func next() async throws(TransportError) -> [UInt8]? {
      if let whole = bytes {
        bytes = nil
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

    /// Returns the fields to send after the content. Call it after `next()` has returned `nil`.
    ///
    /// - Throws: ``TransportError`` of kind `bodyProducerFailed` if the producer throws, or returns
    ///   a field that is not allowed in trailers.
    public func trailerFields() async throws(TransportError) -> HTTPFields {
      guard let trailers else { return [:] }
      let fields: HTTPFields
      do { fields = try await trailers() } catch { throw failure(error) }
      for field in fields {
        guard field.name.isValid, field.hasValidValue, !field.name.isForbiddenInTrailers else {
          throw TransportError(
            .bodyProducerFailed, phase: .sending, bytesSent: true,
            detail: "the field \(field.name.rawName.debugDescription) is not allowed in trailers")
        }
      }
      return fields
    }

    private func pull() async throws(TransportError) -> [UInt8]? {
      guard var iterator = chunks else { return nil }
      do {
        let chunk = try await iterator.nextChunk(isolation: self)
        chunks = chunk == nil ? nil : iterator
        // Some sequences, such as `AsyncStream`, end when their task is cancelled. Their content is
        // not complete then.
        if chunk == nil { try Task.checkCancellation() }
        return chunk
      } catch {
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

    private func mismatch(_ length: Int, _ actual: String) -> TransportError {
      TransportError(
        .bodyLengthMismatch, phase: .sending, bytesSent: true,
        detail: "the producer of the request body made \(actual) bytes instead of \(length)")
    }
  }
}

extension HTTPField.Name {
  /// Whether the field frames, routes or controls a message, and so must precede the content.
  ///
  /// Source: RFC 9110 §6.5.1.
  var isForbiddenInTrailers: Bool {
    [.contentLength, .transferEncoding, .host, .trailer, .connection, .contentEncoding]
      .contains(self)
  }
}
