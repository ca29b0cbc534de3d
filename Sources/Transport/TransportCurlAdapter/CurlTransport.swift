import CCurl
import TransportPort

/// An HTTP transport over libcurl, with HTTP/1.1 and HTTP/2.
///
/// Each transport has a thread, which drives all its exchanges, and a pool of connections, which
/// are kept for reuse. An exchange retains its transport, so releasing the transport lets running
/// exchanges finish; ``shutDown()`` ends them.
public final class CurlTransport: HTTPTransport {
  let driver: CurlDriver

  /// Creates a transport and its thread.
  ///
  /// - Throws: `TransportError` of kind `other` if the thread or libcurl's state cannot be created.
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
    let wire = try WireRequest(request, body: body)
    try wire.checkCancellation()
    let transfer = try CurlTransfer(wire, body: body, options: options, owner: self)
    return HTTPExchange(
      request: request, head: try await transfer.head(), body: HTTPResponseBody(transfer))
  }
}
