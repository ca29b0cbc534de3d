extension HTTPTransport {
  /// This transport, with requests sent again where that is safe.
  ///
  /// Only failures before a final head, and only those that ``TransportError/isRetrySafe`` marks:
  /// nothing was sent, or the method is idempotent. A body that cannot be produced again is never
  /// sent again. Later attempts use a new connection.
  ///
  /// - Parameters:
  ///   - attempts: The most times to send, the first included.
  ///   - backoff: How long to wait before each further time.
  ///   - clock: What measures that wait.
  public func retryingWhenSafe(
    attempts: Int = 2, backoff: RetryBackoff = .none, clock: any Clock<Duration> = ContinuousClock()
  ) -> some HTTPTransport {
    RetryTransport(base: self, attempts: attempts, backoff: backoff, clock: clock)
  }
}

/// Sends again over another transport what may be sent again.
struct RetryTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let attempts: Int
  let backoff: RetryBackoff
  let clock: any Clock<Duration>

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var options = options
    for failures in 1..<max(attempts, 1) {
      do throws(TransportError) {
        return try await base.send(request, body: body, options: options)
      } catch {
        guard error.isRetrySafe, body.canBeSentAgain, !Task.isCancelled else { throw error }
        options.reusesConnections = false
        try await pause(after: error, failures: failures, method: request.method)
      }
    }
    return try await base.send(request, body: body, options: options)
  }

  private func pause(
    after error: TransportError, failures: Int, method: HTTPRequest.Method
  ) async throws(TransportError) {
    let pause = backoff.pause(failures)
    guard pause > .zero else { return }
    guard (try? await clock.pause(for: pause)) != nil else {
      throw TransportError(
        .cancelled, phase: .preparing, method: method, bytesSent: error.bytesSent,
        detail: "the task was cancelled before attempt \(failures + 1), after \(error)")
    }
  }
}
