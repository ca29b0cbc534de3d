/// The two functions of a cookie store that the cookie policy uses.
public protocol HTTPCookieHandling: Sendable {
  /// Returns the value of the Cookie field for a request.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - method: The method of the request.
  /// - Returns: `name=value` pairs joined by `"; "`, or `nil` to send no field.
  func cookieHeader(forURL url: String, method: HTTPRequest.Method) async throws -> String?

  /// Stores the cookies of a response.
  ///
  /// - Parameters:
  ///   - values: The values of the Set-Cookie fields, one per field line, in order.
  ///   - url: The URL of the request.
  func storeCookies(_ values: [String], fromURL url: String) async throws
}

extension HTTPTransport {
  /// Returns a transport that sends cookies from a store and stores those of responses.
  ///
  /// Apply this policy before ``followingRedirects(_:)``, so that each hop sends its own cookies. A
  /// Cookie field of the request is kept. Interim responses set no cookies, as RFC 6265 §3 allows.
  /// If the store throws, the request fails with
  /// ``TransportError/Kind-swift.enum/cookieStoreFailed``.
  public func handlingCookies(with store: any HTTPCookieHandling) -> some HTTPTransport {
    CookieTransport(base: self, store: store)
  }
}

/// Sends and stores cookies for another transport.
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
