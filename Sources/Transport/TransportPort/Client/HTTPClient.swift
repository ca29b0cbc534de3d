/// Requests with whole responses, over any transport: what most of an app needs.
public struct HTTPClient: Sendable {
  /// What sends the requests; apply policies to it first.
  public var transport: any HTTPTransport

  /// Fields for every request; those of the request override them.
  public var defaultHeaderFields: HTTPFields

  /// The most bytes of a response body to take.
  public var bodyLimit: Int

  /// A client.
  ///
  /// - Parameters:
  ///   - transport: What sends the requests.
  ///   - defaultHeaderFields: Fields for every request.
  ///   - bodyLimit: The most bytes of a response body to take; 16 MiB unless said otherwise.
  public init(
    transport: any HTTPTransport, defaultHeaderFields: HTTPFields = [:], bodyLimit: Int = 1 << 24
  ) {
    self.transport = transport
    self.defaultHeaderFields = defaultHeaderFields
    self.bodyLimit = bodyLimit
  }

  /// Sends a request and reads its whole response; a status such as 404 is no error.
  ///
  /// - Throws: ``TransportError``.
  public func data(
    for request: HTTPRequest, body: HTTPRequestBody = .none
  ) async throws(TransportError) -> HTTPDataResponse {
    try await dataTask(with: request, body: body).run()
  }

  /// Gets a URL.
  public func get(_ url: String) async throws(TransportError) -> HTTPDataResponse {
    try await data(for: HTTPRequest(method: .get, url: url))
  }

  /// Posts content to a URL.
  public func post(
    _ body: HTTPRequestBody, to url: String, contentType: String
  ) async throws(TransportError) -> HTTPDataResponse {
    try await data(
      for: HTTPRequest(method: .post, url: url, headerFields: [.contentType: contentType]),
      body: body)
  }

  /// A request that is ready to be sent, once.
  public func dataTask(
    with request: HTTPRequest, body: HTTPRequestBody = .none
  ) -> HTTPDataTask {
    var complete = request
    for field in defaultHeaderFields where !request.headerFields.contains(field.name) {
      complete.headerFields.append(field)
    }
    return HTTPDataTask(
      request: complete, body: body, transport: transport, bodyLimit: bodyLimit)
  }
}
