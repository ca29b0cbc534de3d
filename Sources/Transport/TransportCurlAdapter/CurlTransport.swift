import CCurl
import TransportPort

/// An HTTP transport over libcurl, with HTTP/1.1 and HTTP/2.
///
/// Each transport has a thread, which drives all its exchanges, and a pool of connections, which
/// are kept for reuse. An exchange retains its transport, so releasing the transport lets running
/// exchanges finish; ``shutDown()`` ends them.
///
/// ## Versions of libcurl
///
/// The transport needs libcurl 7.81 or newer. It has these limitations:
/// - Before 7.84, with ``Configuration/Authorities/system``: libcurl reads the certificate bundle
///   again for each connection.
/// - Before 7.87: cancelling an exchange while its host is resolved blocks the transport's thread
///   until the lookup ends.
/// - After 8.5: a request with a field of more than 307,199 bytes throws, because libcurl would omit
///   the field. The content of a 417 response fails as truncated, because libcurl discards it. So
///   does content with a transfer coding other than chunked if Content-Length precedes
///   Transfer-Encoding.
/// - After 8.14: a folded field is joined before the adapter sees it, so a folded Content-Length or
///   Transfer-Encoding is accepted; different values of Content-Length fail as `invalidLength`; and an
///   invalid line of a head fails only once the next one has arrived.
/// - In 7.88: a response with a field of more than 100 KiB, or of 64 KiB over HTTP/2, fails as
///   `headTooLarge`.
/// - Without OpenSSL, and through a proxy that is reached over TLS: no HTTP/2. libcurl reports a
///   response as complete although the server did not end its stream, and the adapter can see that
///   only in the frames that OpenSSL decrypts.
/// - Without OpenSSL: a body over TLS that ends with the connection fails with
///   ``TransportError/Kind-swift.enum/truncatedBody``, because the adapter cannot detect a missing
///   `close_notify`; and a TLS failure may have no more specific cause than
///   ``TransportError/TLSFailure/handshake``.
/// - With GnuTLS: ``init(_:)`` throws for ``Configuration/Authorities/pem(_:)``.
public final class CurlTransport: HTTPTransport {
  let driver: CurlDriver

  /// Creates a transport and its thread.
  ///
  /// - Throws: `TransportError` of kind `unsupportedOption` if libcurl lacks an option that the
  ///   configuration needs, and of kind `other` if the thread or libcurl's state cannot be created.
  public init(_ configuration: Configuration = Configuration()) throws(TransportError) {
    driver = try CurlDriver(configuration)
  }

  deinit {
    driver.post(.shutDown)
  }

  /// An executor that runs tasks on the transport's thread.
  ///
  /// Pass it to `Task(executorPreference:)` for a task that mostly waits for the network, which
  /// saves waking another thread for each of its steps. Slow or blocking work must not run on it,
  /// because it delays all exchanges. After the shutdown such tasks run on the global executor.
  public var executor: any TaskExecutor { driver }

  /// Ends all exchanges, closes all connections and ends the transport's thread.
  ///
  /// Returns when that is done. Pending and later requests fail with the kind `shutDown`.
  public func shutDown() async {
    await driver.shutDown()
  }

  public nonisolated(nonsending) func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let transfer = try CurlTransfer(request, body: body, options: options, owner: self)
    let head = try await transfer.head()
    return HTTPExchange(
      request: request, response: head.final.response,
      informationalResponses: head.informational, body: HTTPResponseBody(transfer))
  }
}
