extension HTTPTransport {
  /// This transport, with requests sent again where that is safe.
  ///
  /// Only failures before a final head, and only those that ``TransportError/isRetrySafe`` marks:
  /// nothing was sent, or the method is idempotent. A body that cannot be produced again is never
  /// sent again. Later attempts use a new connection.
  ///
  /// - Parameter attempts: The most times to send, the first included.
  public func retryingWhenSafe(attempts: Int = 2) -> some HTTPTransport {
    RetryTransport(base: self, attempts: attempts)
  }
}

/// Sends again over another transport what may be sent again.
struct RetryTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let attempts: Int

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var options = options
    for _ in 1..<max(attempts, 1) {
      do throws(TransportError) {
        return try await base.send(request, body: body, options: options)
      } catch {
        guard error.isRetrySafe, body.canBeSentAgain, !Task.isCancelled else { throw error }
        options.reusesConnections = false
      }
    }
    return try await base.send(request, body: body, options: options)
  }
}
