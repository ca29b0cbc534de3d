/// Sends HTTP requests and streams the responses. This protocol is the port.
///
/// Every implementation guarantees:
/// - ``WireRequest/init(_:body:)`` rejects an invalid request before any input or output.
/// - Interim responses (1xx) are in ``HTTPExchange/informationalResponses``; the response is final.
/// - Redirects, content encodings and cookies are not handled; policies over the port handle them.
/// - When the task is cancelled, `send` throws ``TransportError/Kind-swift.enum/cancelled`` and the
///   connection is closed. If the task was cancelled before the call, no input or output happens.
/// - The body is read from the connection as fast as the caller consumes it; releasing the response
///   releases the connection.
/// - A request whose method is not idempotent is sent at most once.
///
/// The port has no shutdown method, because policies and clients borrow a transport and must not
/// end it for other users. The owner calls the method of the concrete type, such as
/// ``FakeTransport/shutDown()``; pending requests then fail with
/// ``TransportError/Kind-swift.enum/shutDown``.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns once the head of the final response is complete.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - body: The body of the request, pulled as fast as it can be sent.
  ///   - options: The options of this exchange.
  /// - Returns: The head of the response, with its body as a stream.
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
