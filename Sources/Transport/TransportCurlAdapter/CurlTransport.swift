import CCurl
import TransportPort

/// HTTP over libcurl: one thread drives all exchanges of one transport.
///
/// Connections are kept and reused. An exchange keeps the transport alive, so that dropping it does
/// not end what is under way; ``shutDown()`` does.
///
/// ## Versions of libcurl
///
/// Needs libcurl 7.81 or newer. With an older version, or another TLS library than OpenSSL, something
/// is lost:
/// - Before 7.84, with ``Configuration/Authorities/system``: each connection reads the file of
///   authorities again.
/// - Before 7.87: cancelling an exchange while its host is looked up blocks the transport's thread
///   until the lookup ends.
/// - After 8.5: a request with a field of more than 307,199 bytes is refused, since libcurl would
///   leave the field out; the content of a 417 response fails as truncated, since libcurl discards
///   it; and so does content with a transfer coding other than chunks whose Content-Length comes
///   before Transfer-Encoding.
/// - In 7.81, over HTTP/2: after GOAWAY, only an idempotent request counts as safe to retry.
/// - Without OpenSSL: a body over TLS that ends with the connection fails with
///   ``TransportError/Kind-swift.enum/truncatedBody``, since its end can't be verified; and a TLS
///   failure may have no cause finer than ``TransportError/TLSFailure/handshake``.
/// - With GnuTLS: ``Configuration/Authorities/pem(_:)`` is refused by ``init(_:)``.
public final class CurlTransport: HTTPTransport {
  let driver: CurlDriver

  /// A transport with a thread and connections of its own.
  ///
  /// - Throws: ``TransportError`` of kind `unsupportedOption` if libcurl can't do what the
  ///   configuration asks for, and of kind `other` if the system has no thread or memory to give.
  public init(_ configuration: Configuration = Configuration()) throws(TransportError) {
    driver = try CurlDriver(configuration)
  }

  deinit {
    driver.post(.shutDown)
  }

  /// Runs tasks on the transport's own thread, between its looks at the network.
  ///
  /// For `Task(executorPreference:)` and the like: a task that mostly waits for the network then
  /// needs no other thread to be woken for its every step. What is slow, or blocks, has no place
  /// there, for it holds up every exchange. After the shutdown such tasks run where others do.
  public var executor: any TaskExecutor { driver }

  /// Ends every exchange with ``TransportError/Kind-swift.enum/shutDown`` and closes all connections.
  ///
  /// Returns when that has happened. Requests sent afterwards fail in the same way.
  public func shutDown() async {
    await driver.shutDown()
  }

  public nonisolated(nonsending) func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    try wire.checkFieldLengths()
    guard !Task.isCancelled else {
      throw wire.error(
        .cancelled, phase: .preparing, bytesSent: false, detail: "the task was cancelled before")
    }
    let transfer = try CurlTransfer(wire, body: body, options: options, owner: self)
    let head = try await transfer.head()
    return HTTPExchange(
      request: request, response: head.response,
      informationalResponses: head.informationalResponses,
      body: HTTPResponseBody(transfer))
  }
}
