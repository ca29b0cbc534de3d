/// The head of a request as an origin received it.
public struct OriginRequest: Sendable, Hashable {
  /// The connection it came on, counted from 1 by the origin.
  public var connection: Int

  /// Its place on that connection, counted from 1.
  public var ordinal: Int

  /// The method.
  public var method: HTTPRequest.Method

  /// The request target, as in the request line.
  public var target: String

  /// All header fields, in order.
  public var headerFields: HTTPFields

  /// A request head.
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
