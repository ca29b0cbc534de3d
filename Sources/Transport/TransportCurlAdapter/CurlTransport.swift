import CCurl
import TransportPort

/// HTTP over libcurl: one thread drives all exchanges of one transport.
///
/// Connections are kept and reused. An exchange keeps the transport alive, so that dropping it does
/// not end what is under way; ``shutDown()`` does.
public final class CurlTransport: HTTPTransport {
  let driver: CurlDriver

  /// A transport with a thread and connections of its own.
  ///
  /// - Throws: ``TransportError`` of kind `other` when the system has no thread or memory to give.
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
