/// A response whose head is complete and whose body has not been read yet.
public struct HTTPExchange: Sendable {
  /// The request that was answered; after redirects, the last one.
  public var request: HTTPRequest

  /// The head of the final response.
  public var response: HTTPResponse

  /// The interim responses (1xx) received before the final one, in order.
  public var informationalResponses: [HTTPResponse]

  /// The body. Releasing its last copy before the end releases the connection.
  public var body: HTTPResponseBody

  /// Creates an exchange.
  public init(
    request: HTTPRequest, response: HTTPResponse, informationalResponses: [HTTPResponse] = [],
    body: HTTPResponseBody
  ) {
    self.request = request
    self.response = response
    self.informationalResponses = informationalResponses
    self.body = body
  }
}

extension HTTPExchange {
  /// What an adapter has received when the head of the final response is complete.
  package struct Head: Sendable {
    package var response: HTTPResponse
    package var informationalResponses: [HTTPResponse]

    package init(response: HTTPResponse, informationalResponses: [HTTPResponse]) {
      self.response = response
      self.informationalResponses = informationalResponses
    }
  }

  /// Creates an exchange from a received head.
  package init(request: HTTPRequest, head: Head, body: HTTPResponseBody) {
    self.init(
      request: request, response: head.response,
      informationalResponses: head.informationalResponses, body: body)
  }
}
