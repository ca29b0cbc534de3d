extension HTTPTransport {
  /// Returns a transport that retries a request if that is safe.
  ///
  /// It retries failures before the final head for which ``TransportError/isRetrySafe`` is true:
  /// nothing was sent, or the method is idempotent. It never retries a body that cannot be produced
  /// again. A status such as 503 is a response, not a failure. Each retry uses a new connection.
  ///
  /// - Parameters:
  ///   - attempts: The maximum number of attempts, including the first.
  ///   - backoff: The delay before each retry.
  ///   - clock: The clock that measures the delay.
  public func retryingWhenSafe(
    attempts: Int = 2, backoff: RetryBackoff = .none, clock: any Clock<Duration> = ContinuousClock()
  ) -> some HTTPTransport {
    RetryTransport(base: self, attempts: attempts, backoff: backoff, clock: clock)
  }
}

/// Retries requests of another transport if that is safe.
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
        detail: "the task was cancelled before attempt \(failures + 1); the last failure: \(error)")
    }
  }
}
