/// A request that is sent at most once: `run()` consumes the task.
public struct HTTPDataTask: ~Copyable, Sendable {
  /// The head of the request.
  public let request: HTTPRequest

  private let body: HTTPRequestBody
  private let transport: any HTTPTransport
  private let bodyLimit: Int

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - body: The body of the request.
  ///   - transport: The transport that sends the request.
  ///   - bodyLimit: The maximum size of the response body in bytes; 16 MiB by default.
  public init(
    request: HTTPRequest, body: HTTPRequestBody = .none, transport: any HTTPTransport,
    bodyLimit: Int = 1 << 24
  ) {
    self.request = request
    self.body = body
    self.transport = transport
    self.bodyLimit = bodyLimit
  }

  /// Sends the request and returns its whole response. Cancel the calling task to cancel it.
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
  /// The request that was answered; after redirects, the last one.
  public var request: HTTPRequest

  /// The head of the response.
  public var response: HTTPResponse

  /// The content.
  public var body: [UInt8]

  /// The fields received after the content.
  public var trailers: HTTPFields = [:]

  /// The content decoded as UTF-8; invalid bytes become replacement characters.
  public var text: String { String(decoding: body, as: Unicode.UTF8.self) }
}
