/// How long an exchange may take; `nil` sets no bound.
public struct Deadlines: Sendable, Hashable {
  /// To resolve, connect and secure; carried out by the transport itself.
  public var connect: Duration?

  /// For the next byte to move in either direction while somebody waits for it.
  ///
  /// The time that the consumer of a body takes between two chunks does not count.
  public var idle: Duration?

  /// For everything, from sending to the last byte of the body; a slow drip does not extend it.
  public var overall: Duration?

  /// Bounds of any precision.
  public init(connect: Duration? = nil, idle: Duration? = nil, overall: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.overall = overall
  }
}

extension HTTPTransport {
  /// This transport, with bounds on time.
  ///
  /// To be applied outermost, so that redirects and retries count. Failures are of kind
  /// `connectTimeout`, `idleTimeout` or `deadlineExceeded`, and close the connection.
  ///
  /// - Parameters:
  ///   - deadlines: The bounds.
  ///   - clock: What measures `idle` and `overall`.
  public func enforcing(
    _ deadlines: Deadlines, clock: any Clock<Duration> = ContinuousClock()
  ) -> some HTTPTransport {
    DeadlineTransport(base: self, deadlines: deadlines, clock: clock)
  }
}

/// Puts bounds on time over another transport.
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
    let watchdog = Watchdog(deadlines: deadlines, clock: clock, method: request.method)
    let observed =
      deadlines.idle == nil ? body : body.reportingProgress { _ in watchdog.touch() }
    let (base, final) = (base, options)
    do throws(TransportError) {
      var exchange = try await watchdog.wait { () async throws(TransportError) -> HTTPExchange in
        try await base.send(request, body: observed, options: final)
      }
      exchange.body = watchdog.watching(exchange.body)
      return exchange
    } catch {
      watchdog.stop()
      throw error
    }
  }
}
