import TransportPort

/// An HTTP transport over `URLSession`: Foundation on Apple platforms, FoundationNetworking
/// elsewhere.
///
/// Cookies, caches, credentials and redirects of the session are disabled; use the port's policies.
/// The session imposes these limits:
/// - Field lines with the same name are joined. Reason phrases and trailers are not reported, and a
///   request with trailers is rejected.
/// - The session decodes gzip, deflate and br unasked. Such a response loses its Content-Encoding
///   and Content-Length fields, because neither is true of the decoded content.
/// - The session does not report when it is connected. A connect timeout therefore ends with the
///   first content sent or the head received, and its error says that bytes may have been sent.
/// - A streamed request body is written to a temporary file before the request is sent.
/// - Only requests without content and with an idempotent method reuse connections, because
///   FoundationNetworking resends a request without its content if a kept connection is dead.
/// - On FoundationNetworking with libcurl 7.88, an endless response that arrives faster than it is
///   read blocks all sessions of the process: `curl_multi_socket_action` does not return while more
///   content is available. Cancelling such an exchange returns at once, but its connection stays
///   open.
public final class URLSessionTransport: HTTPTransport {
  let pool: SessionPool

  /// Creates a transport.
  ///
  /// - Parameter limits: The maximum number of concurrent exchanges; others wait.
  public init(limits: ConnectionLimits = ConnectionLimits()) {
    pool = SessionPool(limits)
  }

  deinit {
    pool.finish()
  }

  /// Ends all exchanges and closes all connections.
  ///
  /// The exchanges have ended when this returns; the connections are closed afterwards. Pending and
  /// later requests fail with the kind `shutDown`.
  public func shutDown() {
    pool.shutDown()
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    try wire.checkCancellation()
    let exchange = try URLSessionExchange(wire, body: body, options: options, owner: self)
    let head = try await exchange.head().get()
    return HTTPExchange(request: request, head: head, body: HTTPResponseBody(exchange))
  }
}
