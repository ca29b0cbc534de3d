/// Time limits of an exchange; `nil` means no limit.
public struct Deadlines: Sendable, Hashable {
  /// The time to resolve, connect and complete the TLS handshake, measured by the transport itself.
  public var connect: Duration?

  /// The time without any byte sent or received while the caller waits for the exchange.
  ///
  /// The time that the reader of a body spends between two chunks does not count.
  public var idle: Duration?

  /// The time from `send` to the last byte of the body, however steadily bytes arrive.
  public var overall: Duration?

  /// Creates time limits.
  public init(connect: Duration? = nil, idle: Duration? = nil, overall: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.overall = overall
  }
}

extension HTTPTransport {
  /// Returns a transport that enforces time limits.
  ///
  /// Apply this policy last, so that the limits cover redirects and retries. An exchange that
  /// exceeds a limit fails with the kind `connectTimeout`, `idleTimeout` or `deadlineExceeded`, and
  /// its connection is closed.
  ///
  /// - Parameters:
  ///   - deadlines: The time limits.
  ///   - clock: The clock that measures `idle` and `overall`.
  public func enforcing(
    _ deadlines: Deadlines, clock: any Clock<Duration> = ContinuousClock()
  ) -> some HTTPTransport {
    DeadlineTransport(base: self, deadlines: deadlines, clock: clock)
  }
}

/// Enforces time limits on another transport.
struct DeadlineTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let deadlines: Deadlines
  let clock: any Clock<Duration>

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var options = options
    options.connectTimeout = deadlines.connect ?? options.connectTimeout
    guard deadlines.idle != nil || deadlines.overall != nil else {
      return try await base.send(request, body: body, options: options)
    }
    let enforcer = DeadlineEnforcer(
      deadlines: deadlines, clock: clock, method: request.method)
    let observed =
      deadlines.idle == nil ? body : body.reportingProgress { _ in enforcer.noteActivity() }
    let (base, final) = (base, options)
    return try await enforcer.wait { () async throws(TransportError) -> HTTPExchange in
      var exchange = try await base.send(request, body: observed, options: final)
      exchange.body = enforcer.enforcing(on: exchange.body)
      return exchange
    }
  }
}
