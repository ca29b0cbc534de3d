import TransportPort

/// HTTP over `URLSession`: Foundation's own on Apple platforms, FoundationNetworking elsewhere.
///
/// Cookies, caches, credentials and redirects are left to the port's policies. What `URLSession`
/// keeps to itself stays so: field lines of one name come joined, reason phrases and trailers don't
/// come at all, and request trailers are refused. It also decodes gzip, deflate and br unasked; such
/// a response loses its Content-Encoding and Content-Length fields, since neither is true any more.
///
/// `URLSession` doesn't tell when it is connected. A connect time-out therefore ends when the first
/// content was taken or the head has come, and its error says that bytes may have been sent.
///
/// Content that is made while it is sent is first made as a whole, in a temporary file.
///
/// Only requests without content whose method is idempotent share connections: FoundationNetworking
/// sends a request again, and without its content, when a kept connection turns out to be dead.
///
/// Content that comes faster than it is read, and without end, holds up every session of the process
/// on FoundationNetworking, seen with libcurl 7.88: `curl_multi_socket_action` doesn't return while
/// there is more. To give such an exchange up returns at once, but its connection stays open.
public final class URLSessionTransport: HTTPTransport {
  let pool: SessionPool

  /// A transport with connections of its own.
  ///
  /// - Parameter limits: How many exchanges may be under way; others wait in line.
  public init(limits: ConnectionLimits = ConnectionLimits()) {
    pool = SessionPool(limits)
  }

  deinit {
    pool.finish()
  }

  /// Ends every exchange with ``TransportError/Kind-swift.enum/shutDown`` and closes all connections.
  ///
  /// Exchanges have ended when it returns; connections are closed soon after. Requests sent
  /// afterwards fail in the same way.
  public func shutDown() {
    pool.shutDown()
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    guard !Task.isCancelled else {
      throw wire.error(
        .cancelled, phase: .preparing, bytesSent: false, detail: "the task was cancelled before")
    }
    let exchange = try URLSessionExchange(wire, body: body, options: options, owner: self)
    let head = try await exchange.head().get()
    return HTTPExchange(
      request: request, response: head.response,
      informationalResponses: head.informationalResponses,
      body: HTTPResponseBody(exchange))
  }
}
