/// Sends requests and streams back responses: the port.
///
/// Every implementation keeps these promises:
/// - a request that is wrong is refused by ``WireRequest/init(_:body:)``, before any input or output;
/// - interim responses (1xx) are never final, they are in ``HTTPExchange/informationalResponses``;
/// - redirects, content encodings and cookies are left alone: those are policies over the port;
/// - a cancelled task gets ``TransportError/Kind-swift.enum/cancelled`` soon, and the connection is
///   closed; a task that was cancelled before does no input or output;
/// - the body is read only as fast as it is consumed, and a dropped response frees its connection;
/// - a request whose method is not idempotent is on the wire at most once.
///
/// There is no shutdown here: a transport belongs to whoever made it, and ends as its own type says
/// (``FakeTransport/shutDown()``). What only borrows it, policies among them, could but end it for
/// everybody else. Requests that are pending then fail with ``TransportError/Kind-swift.enum/shutDown``.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns once the head of the final response is complete.
  ///
  /// - Parameters:
  ///   - request: The request's head.
  ///   - body: The request's body, pulled as fast as it can be written.
  ///   - options: Settings for this one exchange.
  /// - Returns: The head of the response, and its body to be streamed.
  /// - Throws: ``TransportError``.
  nonisolated(nonsending) func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange
}

extension HTTPTransport {
  /// Sends a request with the default options.
  public nonisolated(nonsending) func send(
    _ request: HTTPRequest, body: HTTPRequestBody = .none
  ) async throws(TransportError) -> HTTPExchange {
    try await send(request, body: body, options: TransportOptions())
  }
}
