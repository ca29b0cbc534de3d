import TransportPort

/// Redirects that a transport follows itself, below any policy, with a setting for each mistake.
struct BuiltInRedirects: Sendable {
  /// The method of the next request.
  var method: @Sendable (_ status: Int, HTTPRequest.Method) -> HTTPRequest.Method = { status, old in
    switch status {
    case 303 where old != .head: .get
    case 301, 302: old == .post ? .get : old
    default: old
    }
  }

  /// Whether the next request has the content, if it keeps the method.
  var keepsBody = true

  /// Whether the next request has the `Content-` fields, if it has no content.
  var keepsContentFields = false

  /// The fields that are not sent to another origin.
  var secrets: Set<HTTPField.Name> = [.authorization, .cookie, .proxyAuthorization, .host]

  /// The highest number of redirects.
  var limit = 20

  /// Changes a Location before it is followed.
  var location: @Sendable (String) -> String = { $0 }

  /// Sends a request and follows its redirects.
  func send(
    _ base: any HTTPTransport, _ request: HTTPRequest, _ body: HTTPRequestBody,
    _ options: TransportOptions
  ) async throws -> HTTPExchange {
    var (request, body) = (request, body)
    for _ in 0...limit {
      let exchange = try await base.send(request, body: body, options: options)
      let status = exchange.response.status.code
      guard [301, 302, 303, 307, 308].contains(status),
        let location = exchange.response.headerFields[.location].map(location)
      else { return exchange }
      _ = try await exchange.body.collect(upTo: 1 << 20)
      let old = request
      if location.contains("://") {
        request = HTTPRequest(
          method: old.method, url: location, headerFields: old.headerFields)
      } else {
        request.path = location.hasPrefix("/") ? location : "/" + location
      }
      request.method = method(status, old.method)
      if request.method != old.method || !keepsBody {
        body = .none
        if !keepsContentFields {
          request.headerFields.removeAll { $0.name.canonicalName.hasPrefix("content-") }
        }
      }
      if request.authority != old.authority {
        request.headerFields.removeAll { secrets.contains($0.name) }
      }
    }
    throw TransportError(.tooManyRedirects, phase: .redirecting, bytesSent: true)
  }
}
