/// What is undone of a content encoding, and how much may come of it.
public struct DecodingPolicy: Sendable, Hashable {
  /// What to do about an encoding other than gzip, deflate, br and identity.
  public enum UnknownEncoding: Sendable, Hashable {
    /// Fail with ``TransportError/Kind-swift.enum/unknownEncoding(_:)``.
    case fail
    /// Hand out the body and its fields as they came.
    case passThrough
  }

  /// What to do about an encoding that nobody asked for.
  public var unknownEncoding: UnknownEncoding

  /// The most bytes that a body may decode to; `nil` sets no bound.
  public var maximumBytes: Int?

  /// The most decoded bytes for each encoded byte, at least 1, once more than 1 MiB was decoded.
  public var maximumRatio: Int?

  /// A policy; at most 1 GiB and 200 bytes for each encoded one, unless said otherwise.
  public init(
    unknownEncoding: UnknownEncoding = .fail, maximumBytes: Int? = 1 << 30,
    maximumRatio: Int? = 200
  ) {
    self.unknownEncoding = unknownEncoding
    self.maximumBytes = maximumBytes
    self.maximumRatio = maximumRatio
  }
}

extension HTTPTransport {
  /// This transport, with gzip, deflate and br asked for and decoded while streaming.
  ///
  /// A request that has an Accept-Encoding or a Range field of its own is left alone, and so is its
  /// response: that is the way to raw bytes. A decoded response loses its Content-Encoding and
  /// Content-Length fields. Failures are of kind `corruptEncoding`, `truncatedEncoding`,
  /// `decompressionBomb` or `unknownEncoding`, in phase `decoding`.
  public func decodingContent(_ policy: DecodingPolicy = DecodingPolicy()) -> some HTTPTransport {
    DecodingTransport(base: self, policy: policy)
  }
}

/// Undoes content encodings over another transport.
struct DecodingTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let policy: DecodingPolicy

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    guard !request.headerFields.contains(.acceptEncoding),
      !request.headerFields.contains("Range")
    else { return try await base.send(request, body: body, options: options) }
    var asking = request
    asking.headerFields[.acceptEncoding] = "gzip, deflate, br"
    var exchange = try await base.send(asking, body: body, options: options)
    let response = exchange.response
    let encodings = response.headerFields.list(.contentEncoding).filter { $0 != "identity" }
    let method = exchange.request.method
    guard !encodings.isEmpty, response.hasContent(to: method) else { return exchange }
    let known = encodings.compactMap { ContentEncoding(name: $0) }
    guard known.count == encodings.count, known.count <= 4 else {
      if policy.unknownEncoding == .passThrough { return exchange }
      exchange.body.cancel()
      throw TransportError(
        .unknownEncoding(encodings.joined(separator: ", ")), phase: .decoding, method: method,
        bytesSent: true, detail: "the content has an encoding that was not asked for")
    }
    let source = exchange.body
    let decoding = ContentDecoding(
      of: source, encodings: known.reversed(), policy: policy, method: method)
    exchange.response.headerFields[.contentEncoding] = nil
    exchange.response.headerFields[.contentLength] = nil
    exchange.body = HTTPResponseBody(
      next: { () async throws(TransportError) in try await decoding.next() },
      cancel: { source.cancel() })
    return exchange
  }
}

extension HTTPResponse {
  /// Whether a body belongs to this response.
  fileprivate func hasContent(to method: HTTPRequest.Method) -> Bool {
    method != .head && status.code != 204 && status.code != 304
  }
}
