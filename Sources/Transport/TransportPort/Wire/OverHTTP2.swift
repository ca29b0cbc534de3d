// HTTP/1.1 messages as HTTP/2 transmits them.

extension HTTPResponseParser.Event {
  /// The event with what HTTP/2 transmits of it.
  var overHTTP2: Self {
    switch self {
    case .informational(let response): .informational(response.overHTTP2)
    case .head(let response): .head(response.overHTTP2)
    case .body: self
    case .end(let trailers): .end(trailers: trailers.overHTTP2)
    }
  }
}

extension HTTPResponse {
  /// The head without a reason phrase (RFC 9113 §8.3.2).
  fileprivate var overHTTP2: HTTPResponse {
    HTTPResponse(status: Status(code: status.code), headerFields: headerFields.overHTTP2)
  }
}

extension HTTPFields {
  /// The fields with names in lower case, and without those of a connection (RFC 9113 §8.2).
  package var overHTTP2: HTTPFields {
    HTTPFields(
      filter { !$0.name.isOfConnection }.map {
        HTTPField(name: HTTPField.Name($0.name.canonicalName), bytes: $0.bytes)
      })
  }
}
