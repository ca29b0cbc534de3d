/// Where cookies come from and go to: the two functions that a cookie store must offer.
public protocol HTTPCookieHandling: Sendable {
  /// The value of the Cookie field for a request.
  ///
  /// - Parameters:
  ///   - url: The URL that is asked for.
  ///   - method: The method of the request.
  /// - Returns: `name=value` pairs joined by a semicolon and a space, or `nil` for no field.
  func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String?

  /// Takes the cookies of a response.
  ///
  /// - Parameters:
  ///   - values: The values of its Set-Cookie fields, one for each line, in order.
  ///   - url: The URL that was asked for.
  func storeCookies(_ values: [String], fromURL url: String) async throws
}

extension HTTPTransport {
  /// This transport, with cookies sent and taken.
  ///
  /// To be applied below redirects, so that each hop gets its own. A request that has a Cookie field
  /// already keeps it. Interim responses set no cookies, as RFC 6265 §3 allows. What the store throws
  /// fails the request with ``TransportError/Kind-swift.enum/cookieStoreFailed``.
  public func handlingCookies(with store: any HTTPCookieHandling) -> some HTTPTransport {
    CookieTransport(base: self, store: store)
  }
}

/// Sends and takes cookies over another transport.
struct CookieTransport<Base: HTTPTransport>: HTTPTransport {
  let base: Base
  let store: any HTTPCookieHandling

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    let wire = try WireRequest(request, body: body)
    var request = request
    if !request.headerFields.contains(.cookie) {
      do {
        let value = try await store.cookieHeader(forURL: wire.url, method: wire.method)
        request.headerFields[.cookie] = value
      } catch {
        throw failure(error, of: wire, phase: .preparing, bytesSent: false)
      }
    }
    let exchange = try await base.send(request, body: body, options: options)
    let values = exchange.response.headerFields[values: .setCookie]
    guard !values.isEmpty else { return exchange }
    do { try await store.storeCookies(values, fromURL: wire.url) } catch {
      throw failure(error, of: wire, phase: .awaitingHead, bytesSent: true)
    }
    return exchange
  }

  private func failure(
    _ error: any Error, of wire: WireRequest, phase: TransportError.Phase, bytesSent: Bool
  ) -> TransportError {
    wire.error(
      error is CancellationError ? .cancelled : .cookieStoreFailed, phase: phase,
      bytesSent: bytesSent, detail: "the cookie store threw \(error)", underlying: error)
  }
}
