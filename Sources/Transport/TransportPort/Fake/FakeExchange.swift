import SystemLocks

/// The client's side of one exchange over a fake transport: connection, phase and cancellation.
final class FakeExchange: Sendable {
  private struct Progress {
    var phase = TransportError.Phase.preparing
    var bytesSent = false
    var connection: Int?
    var isOver = false
  }

  /// The reason to end an exchange from outside.
  enum End: Sendable {
    case failed(TransportError.Kind)
    /// The origin announced in GOAWAY that it did not process the request.
    case unprocessed
  }

  let transport: FakeTransport
  let wire: WireRequest
  let request: HTTPRequest
  let body: HTTPRequestBody
  let options: TransportOptions
  private let interruption = Interruption()
  private let progress = Mutex(Progress())

  init(
    transport: FakeTransport, wire: WireRequest, request: HTTPRequest, body: HTTPRequestBody,
    options: TransportOptions
  ) {
    self.transport = transport
    self.wire = wire
    self.request = request
    self.body = body
    self.options = options
  }

  /// Runs the exchange until the final head is complete.
  func start() async throws(TransportError) -> HTTPExchange {
    guard transport.register(self) else { throw error(.shutDown) }
    let result = await withTaskCancellationHandler { () -> Result<HTTPExchange, TransportError> in
      do throws(TransportError) {
        return .success(
          try await interruption.run { () async throws(TransportError) in try await self.open() })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      end(.failed(.cancelled))
    }
    if case .failure = result { finish(closedBy: .client) }
    return try result.get()
  }

  /// Creates an error with the current phase of the exchange.
  func error(
    _ kind: TransportError.Kind, detail: String = "the exchange was ended"
  ) -> TransportError {
    let (phase, bytesSent) = progress.withLock { ($0.phase, $0.bytesSent) }
    return wire.error(kind, phase: phase, bytesSent: bytesSent, detail: detail)
  }

  /// Ends the exchange at once, whatever it is waiting for; one that is over stays as it is.
  func end(_ end: End) {
    // Its content may not be read yet, and a connect timeout may come late.
    guard !progress.withLock({ $0.isOver }) else { return }
    switch end {
    case .failed(let kind):
      interruption.interrupt(error(kind))
      finish(closedBy: .client)
    case .unprocessed:
      // First, because an interrupted exchange resets its stream.
      finishAndPark()
      interruption.interrupt(unprocessedError())
    }
  }

  /// Creates the error of an unprocessed request, which is safe to retry with any method.
  func unprocessedError() -> TransportError {
    let detail = "the origin announced that it did not process the request"
    var error = error(.connectionReset, detail: detail)
    error.isRetrySafe = true
    return error
  }

  /// Ends the exchange and returns its connection to the transport for reuse.
  func finishAndPark() {
    guard let connection = finishOnce() else { return }
    transport.park(connection)
  }

  /// Ends the exchange and its connection.
  func finish(closedBy side: OriginEvent.Side) {
    guard let connection = finishOnce() else { return }
    transport.close(connection, by: side)
  }

  /// Ends the exchange.
  ///
  /// - Returns: The connection, only on the first call.
  private func finishOnce() -> Int? {
    let ended = progress.withLock { progress -> Progress? in
      defer { progress.isOver = true }
      return progress.isOver ? nil : progress
    }
    guard let ended else { return nil }
    transport.unregister(self)
    return ended.connection
  }

  private func enter(_ phase: TransportError.Phase, bytesSent: Bool = false) {
    progress.withLock { progress in
      progress.phase = phase
      progress.bytesSent = progress.bytesSent || bytesSent
    }
  }
}

extension FakeExchange {
  private func open() async throws(TransportError) -> HTTPExchange {
    let lease = await transport.lease(for: self)
    guard let lease else { throw error(.cancelled) }
    // If the exchange ended while the lease was granted, only this code can return the connection.
    let isOver = progress.withLock { progress in
      if !progress.isOver { progress.connection = lease.connection }
      return progress.isOver
    }
    guard !isOver else {
      if lease.isShared, !lease.isNew {
        transport.park(lease.connection)
      } else {
        transport.close(lease.connection, by: .client)
      }
      throw error(.cancelled)
    }
    transport.assign(lease.connection, to: self)
    if lease.isNew { try await connect(lease.connection) }
    transport.accept(lease.connection)
    enter(.awaitingHead, bytesSent: true)
    let player = FakePlayer(exchange: self, lease: lease)
    var informational: [HTTPResponse] = []
    while true {
      switch try await player.next() {
      case .informational(let response):
        informational.append(response)
      case .head(let response):
        enter(.receivingBody)
        return HTTPExchange(
          request: request, response: response, informationalResponses: informational,
          body: makeBody(player))
      case .body, .end:
        throw error(.other, detail: "the parser returned a body before its head")
      }
    }
  }

  private func makeBody(_ player: FakePlayer) -> HTTPResponseBody {
    HTTPResponseBody(
      next: { () async throws(TransportError) in
        try await self.interruption.run { () async throws(TransportError) in
          switch try await player.next() {
          case .body(let bytes): return .bytes(bytes)
          case .end(let trailers): return .end(trailers: trailers)
          case .head, .informational:
            throw self.error(.other, detail: "the parser returned a second head")
          }
        }
      },
      cancel: { self.end(.failed(.cancelled)) })
  }

  private func connect(_ connection: Int) async throws(TransportError) {
    let timer = options.connectTimeout.map { timeout in
      Task { [transport] in
        guard (try? await transport.clock.pause(for: timeout)) != nil else { return }
        self.end(.failed(.connectTimeout))
      }
    }
    defer { timer?.cancel() }
    if let proxy = transport.proxy, proxy.applies(to: wire.origin), wire.method != .connect {
      enter(.connecting)
      transport.retain(try await proxy.tunnel(for: wire), for: connection)
    }
    enter(.resolving)
    switch transport.plan.reachability {
    case .listening: break
    case .unresolvable where wire.target.hasPrefix("http:"):
      throw error(.proxyFailed, detail: "the name of the proxy has no address")
    case .unresolvable: throw error(.nameNotResolved, detail: "\(wire.origin.host) has no address")
    case .resolvingSlowly(let duration):
      guard (try? await transport.clock.pause(for: duration)) != nil else {
        throw error(.cancelled)
      }
    case .refusing where wire.target.hasPrefix("http:"):
      enter(.connecting)
      throw error(.proxyFailed, detail: "the proxy refused the connection")
    case .refusing:
      enter(.connecting)
      throw error(.connectionRefused, detail: "nothing listens on port \(wire.origin.port)")
    case .silent:
      enter(.connecting)
      await waitForCancellation()
      throw error(.cancelled)
    }
    enter(.securing)
    if wire.origin.scheme == .https, wire.method != .connect,
      let failure = transport.plan.identity.failure
    {
      throw error(
        .tls(failure), detail: "the TLS handshake with \(wire.origin.host) failed: \(failure)")
    }
  }
}

extension OriginPlan.Identity {
  /// The failure of the TLS handshake with this identity; `nil` if it succeeds.
  fileprivate var failure: TransportError.TLSFailure? {
    switch self {
    case .trusted: nil
    case .expired, .notYetValid: .certificateExpired
    case .wrongHost: .wrongHost
    case .selfSigned: .selfSigned
    case .unknownAuthority: .unknownAuthority
    case .obsoleteProtocol: .protocolVersion
    case .demandsCertificate: .certificateRequired
    }
  }
}
