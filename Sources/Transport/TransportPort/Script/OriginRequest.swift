/// The head of a request as an origin received it.
public struct OriginRequest: Sendable, Hashable {
  /// The number of its connection, from 1.
  public var connection: Int

  /// The number of the request on its connection, from 1.
  public var ordinal: Int

  /// The method.
  public var method: HTTPRequest.Method

  /// The request target, as in the request line.
  public var target: String

  /// All header fields, in order.
  public var headerFields: HTTPFields

  /// Creates the head of a request.
  public init(
    connection: Int, ordinal: Int, method: HTTPRequest.Method, target: String,
    headerFields: HTTPFields
  ) {
    self.connection = connection
    self.ordinal = ordinal
    self.method = method
    self.target = target
    self.headerFields = headerFields
  }

  /// The path, without the query.
  public var path: String { String(target.prefix { $0 != "?" }) }
}
