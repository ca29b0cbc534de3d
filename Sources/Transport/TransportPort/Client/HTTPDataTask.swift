/// One request that will be sent once: running it uses it up.
public struct HTTPDataTask: ~Copyable, Sendable {
  /// The request's head.
  public let request: HTTPRequest

  private let body: HTTPRequestBody
  private let transport: any HTTPTransport
  private let bodyLimit: Int

  /// A task over a transport.
  ///
  /// - Parameters:
  ///   - request: The request's head.
  ///   - body: The request's body.
  ///   - transport: What sends it.
  ///   - bodyLimit: The most bytes of the response's body to take.
  public init(
    request: HTTPRequest, body: HTTPRequestBody = .none, transport: any HTTPTransport,
    bodyLimit: Int = 1 << 24
  ) {
    self.request = request
    self.body = body
    self.transport = transport
    self.bodyLimit = bodyLimit
  }

  /// Sends the request and reads its whole response; cancel the calling task to give up.
  ///
  /// - Throws: ``TransportError``.
  public consuming func run() async throws(TransportError) -> HTTPDataResponse {
    let exchange = try await transport.send(request, body: body)
    let bytes = try await exchange.body.collect(upTo: bodyLimit)
    return HTTPDataResponse(
      request: exchange.request, response: exchange.response, body: bytes,
      trailers: exchange.body.trailerFields ?? [:])
  }
}

/// A response with its whole body.
public struct HTTPDataResponse: Sendable, Hashable {
  /// The request that this answers: after redirects, the last one.
  public var request: HTTPRequest

  /// The head.
  public var response: HTTPResponse

  /// The content.
  public var body: [UInt8]

  /// The fields that came after the content.
  public var trailers: HTTPFields = [:]

  /// The content as text: UTF-8, with replacement characters where it is not that.
  public var text: String { String(decoding: body, as: Unicode.UTF8.self) }
}
