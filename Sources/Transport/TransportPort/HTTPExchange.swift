/// A response whose head is complete and whose body is still to be read.
public struct HTTPExchange: Sendable {
  /// The request that this response answers: after redirects, the last one.
  public var request: HTTPRequest

  /// The head of the final response.
  public var response: HTTPResponse

  /// The interim responses (1xx) that came before it, in order.
  public var informationalResponses: [HTTPResponse]

  /// The body; dropping it unread frees the connection.
  public var body: HTTPResponseBody

  /// An exchange.
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
