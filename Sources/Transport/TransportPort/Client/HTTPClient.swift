/// Sends requests over any transport and returns whole responses.
public struct HTTPClient: Sendable {
  /// The transport, with its policies applied.
  public var transport: any HTTPTransport

  /// Fields added to every request that has no field of the same name.
  public var defaultHeaderFields: HTTPFields

  /// The maximum size of a response body in bytes.
  public var bodyLimit: Int

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: The transport, with its policies applied.
  ///   - defaultHeaderFields: Fields added to every request that has no field of the same name.
  ///   - bodyLimit: The maximum size of a response body in bytes; 16 MiB by default.
  public init(
    transport: any HTTPTransport, defaultHeaderFields: HTTPFields = [:], bodyLimit: Int = 1 << 24
  ) {
    self.transport = transport
    self.defaultHeaderFields = defaultHeaderFields
    self.bodyLimit = bodyLimit
  }

  /// Sends a request and returns its whole response; a status such as 404 is not an error.
  ///
  /// - Throws: ``TransportError``.
  public func data(
    for request: HTTPRequest, body: HTTPRequestBody = .none
  ) async throws(TransportError) -> HTTPDataResponse {
    try await dataTask(with: request, body: body).run()
  }

  /// Sends GET to a URL.
  ///
  /// - Throws: ``TransportError``.
  public func get(_ url: String) async throws(TransportError) -> HTTPDataResponse {
    try await data(for: HTTPRequest(method: .get, url: url))
  }

  /// Sends POST with content to a URL.
  ///
  /// - Throws: ``TransportError``.
  public func post(
    _ body: HTTPRequestBody, to url: String, contentType: String
  ) async throws(TransportError) -> HTTPDataResponse {
    try await data(
      for: HTTPRequest(method: .post, url: url, headerFields: [.contentType: contentType]),
      body: body)
  }

  /// Creates a task that sends a request once it runs.
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
