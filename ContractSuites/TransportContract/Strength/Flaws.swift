import TransportPort

/// The places at which a transport can be made wrong; sound where nothing is set.
struct Flaws: Sendable {
  typealias Send =
    @Sendable (any HTTPTransport, HTTPRequest, HTTPRequestBody, TransportOptions) async throws ->
    HTTPExchange

  /// How it misreads what a peer sends.
  var bytes: @Sendable ([UInt8]) -> [UInt8] = { $0 }

  /// How it changes what a peer does.
  var plan: @Sendable (OriginPlan) -> OriginPlan = { $0 }

  /// How it takes its setup.
  var setup: @Sendable (TransportSetup) -> TransportSetup = { $0 }

  /// What it puts on the wire in place of a request.
  var seen: @Sendable (PeerLog.Request) -> PeerLog.Request = { $0 }

  /// What it does to a request before it looks at it.
  var request:
    @Sendable (inout HTTPRequest, inout HTTPRequestBody, inout TransportOptions) -> Void =
      { _, _, _ in }

  /// How it sends.
  var send: Send = { try await $0.send($1, body: $2, options: $3) }

  /// What it makes of a response.
  var response: @Sendable (inout HTTPExchange) -> Void = { _ in }

  /// What it makes of an error.
  var error: @Sendable (TransportError) -> TransportError = { $0 }

  /// Which failures of a body it takes for the body's end.
  var pardons: @Sendable (TransportError) -> Bool = { _ in false }
}

extension Flaws {
  /// Makes the transport wait for ever where it should fail.
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

  /// Makes the transport lose a byte of long content, where a buffer may end.
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
}

/// A sound transport made wrong.
struct FlawedTransport: HTTPTransport {
  let base: any HTTPTransport
  let flaws: Flaws

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
          if flaws.pardons(error) { return .end(trailers: [:]) }
          throw flaws.error(error)
        }
      }, cancel: { source.cancel() })
    flaws.response(&exchange)
    return exchange
  }
}
