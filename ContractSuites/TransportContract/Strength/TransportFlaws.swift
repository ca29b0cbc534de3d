import TransportPort

/// The mistakes of a deliberately broken transport; without changes, the transport has none.
struct TransportFlaws: Sendable {
  typealias Send =
    @Sendable (any HTTPTransport, HTTPRequest, HTTPRequestBody, TransportOptions) async throws ->
    HTTPExchange

  /// Changes the bytes of each `send` step before the transport receives them.
  var receivedBytes: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  /// Changes the plan of each peer.
  var plan: @Sendable (OriginPlan) -> OriginPlan = { $0 }

  /// Changes the setup before the transport opens.
  var setup: @Sendable (TransportSetup) -> TransportSetup = { $0 }

  /// Changes what the peer's log shows of each request, for mistakes on the wire.
  var sentRequest: @Sendable (PeerLog.Request) -> PeerLog.Request = { $0 }

  /// Changes the arguments of `send` before the transport validates them.
  var request:
    @Sendable (inout HTTPRequest, inout HTTPRequestBody, inout TransportOptions) -> Void =
      { _, _, _ in }

  /// Sends a request over the correct transport.
  var send: Send = { try await $0.send($1, body: $2, options: $3) }

  /// Changes the response.
  var response: @Sendable (inout HTTPExchange) -> Void = { _ in }

  /// Changes each error, of `send` and of the body.
  var error: @Sendable (TransportError) -> TransportError = { $0 }

  /// Whether the transport reports a failure of the body as its normal end.
  var ignoresBodyError: @Sendable (TransportError) -> Bool = { _ in false }
}

extension TransportFlaws {
  /// Makes the transport wait without end instead of reporting errors of a kind.
  mutating func wait(afterFailure kind: TransportError.Kind) {
    send = { base, request, body, options in
      do {
        return try await base.send(request, body: body, options: options)
      } catch let error as TransportError where error.kind == kind {
        try await waitForCancellation()
        throw error
      }
    }
  }

  /// Makes the transport lose the byte at offset 65,535, the end of a 64 KiB buffer.
  mutating func loseByte() {
    response = { exchange in
      let source = exchange.body
      exchange.body = HTTPResponseBody(
        next: { () async throws(TransportError) in
          var whole = try await source.collect(upTo: 1 << 24)
          if whole.count > 65_536 { whole.remove(at: 65_535) }
          return whole.isEmpty ? .end(trailers: [:]) : .bytes(whole)
        }, cancel: { source.cancel() })
    }
  }

  /// Makes the transport report every error as safe to retry, or none.
  mutating func reportRetrySafety(_ isRetrySafe: Bool) {
    error = { error in
      var error = error
      error.isRetrySafe = isRetrySafe
      return error
    }
  }

  /// Makes the transport read all content from the caller before it sends the request.
  mutating func collectContent() {
    send = { base, request, body, options in
      let whole = HTTPRequestBody.bytes(try await body.collected())
      return try await base.send(request, body: whole, options: options)
    }
  }

  /// Makes the transport ignore cancellation of the task that called `send`.
  mutating func ignoreCancellation() {
    send = { base, request, body, options in
      try await Task.detached {
        try await base.send(request, body: body, options: options)
      }.value
    }
  }

  /// Makes the transport use other connection limits than those of its setup.
  mutating func changeLimits(
    _ change: @escaping @Sendable (inout ConnectionLimits) -> Void
  ) {
    setup = { setup in
      var setup = setup
      change(&setup.limits)
      return setup
    }
  }
}

extension HTTPRequestBody {
  /// Reads all of the content.
  func collected() async throws -> [UInt8] {
    let reader = try makeReader()
    var whole: [UInt8] = []
    while let chunk = try await reader.next() { whole += chunk }
    return whole
  }
}

/// A correct transport with flaws added.
struct FlawedTransport: HTTPTransport {
  let base: any HTTPTransport
  let flaws: TransportFlaws

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var (request, body, options) = (request, body, options)
    flaws.request(&request, &body, &options)
    var exchange: HTTPExchange
    do {
      exchange = try await flaws.send(base, request, body, options)
    } catch let error as TransportError {
      throw flaws.error(error)
    } catch {
      throw TransportError(.other, phase: .awaitingHead, bytesSent: true, detail: "\(error)")
    }
    let source = exchange.body
    let flaws = flaws
    exchange.body = HTTPResponseBody(
      next: { () async throws(TransportError) in
        var iterator = source.makeAsyncIterator()
        do throws(TransportError) {
          if let bytes = try await iterator.next() { return .bytes(bytes) }
          return .end(trailers: source.trailerFields ?? [:])
        } catch {
          if flaws.ignoresBodyError(error) { return .end(trailers: [:]) }
          throw flaws.error(error)
        }
      }, cancel: { source.cancel() })
    flaws.response(&exchange)
    return exchange
  }
}
