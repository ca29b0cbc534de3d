import TransportPort

/// Limits on decoded content, and what to do about an encoding that cannot be decoded.
public struct DecodingPolicy: Sendable, Hashable {
  /// The treatment of an encoding other than gzip, deflate, br and identity.
  public enum UnknownEncoding: Sendable, Hashable {
    /// Fails with `TransportError.Kind.unknownEncoding`.
    case fail
    /// Returns the body and its fields as received.
    case passThrough
  }

  /// The treatment of an encoding other than gzip, deflate, br and identity.
  public var unknownEncoding: UnknownEncoding

  /// The maximum size of a decoded body in bytes; `nil` means no limit.
  public var maximumBytes: Int?

  /// The maximum ratio of decoded to encoded bytes; `nil` means no limit.
  ///
  /// Values below 1 count as 1. The ratio applies once more than 1 MiB was decoded.
  public var maximumRatio: Int?

  /// The maximum ratio of encoded to decoded bytes; `nil` means no limit.
  ///
  /// It bounds the work for content that decodes to little or nothing, such as empty gzip members or
  /// an endless file name. Values below 1 count as 1. The ratio applies once more than 1 MiB was
  /// received.
  public var maximumOverhead: Int?

  /// Creates a policy.
  ///
  /// By default a body decodes to at most 1 GiB and 200 times its encoded size, and has at most 64
  /// encoded bytes for each decoded one.
  public init(
    unknownEncoding: UnknownEncoding = .fail,
    maximumBytes: Int? = 1 << 30, maximumRatio: Int? = 200, maximumOverhead: Int? = 64
  ) {
    self.unknownEncoding = unknownEncoding
    self.maximumBytes = maximumBytes
    self.maximumRatio = maximumRatio
    self.maximumOverhead = maximumOverhead
  }
}

extension HTTPTransport {
  /// Returns a transport that requests gzip, deflate and br, and decodes responses while streaming.
  ///
  /// The policy removes the Content-Encoding and Content-Length fields of a response that it
  /// decodes. It leaves a request that has an Accept-Encoding or Range field unchanged, and its
  /// response too; set one of these fields to receive the encoded bytes.
  ///
  /// Errors have the phase `decoding` and the kind `corruptEncoding`, `truncatedEncoding`,
  /// `decompressionBomb` or `unknownEncoding`; each closes the connection.
  public func decodingContent(_ policy: DecodingPolicy = DecodingPolicy()) -> some HTTPTransport {
    DecodingTransport(base: self, policy: policy)
  }
}

/// Decodes the content of the responses of another transport.
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
      let detail = "cannot decode the content; expected at most four of gzip, deflate and br"
      throw TransportError(
        .unknownEncoding(encodings.joined(separator: ", ")), phase: .decoding, method: method,
        bytesSent: true, detail: detail)
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
  /// Whether this response has content.
  ///
  /// Source: RFC 9110 §6.4.1.
  fileprivate func hasContent(to method: HTTPRequest.Method) -> Bool {
    method != .head && status.code != 204 && status.code != 304
  }
}
