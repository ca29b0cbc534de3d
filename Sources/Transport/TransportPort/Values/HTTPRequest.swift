/// The head of a request: method, URL and fields.
///
/// A value of this type may be invalid. ``WireRequest/init(_:body:)`` validates it when it is sent,
/// and throws ``TransportError`` if it is.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public var method: Method

  /// `http` or `https`; a request with another scheme cannot be sent.
  public var scheme: String?

  /// The host and an optional port, such as `example.com:8080`. Userinfo is never sent.
  public var authority: String?

  /// The path and query, sent verbatim. A fragment is never sent.
  public var path: String?

  /// The fields to send; they override fields that the transport would add.
  public var headerFields: HTTPFields

  /// Creates a request from the parts of its URL.
  public init(
    method: Method, scheme: String?, authority: String?, path: String?,
    headerFields: HTTPFields = [:]
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.headerFields = headerFields
  }

  /// Creates a request for a URL, which is validated when the request is sent.
  public init(method: Method = .get, url: String, headerFields: HTTPFields = [:]) {
    let reference = URLReference(url)
    self.init(
      method: method, scheme: reference.scheme, authority: reference.authority,
      path: reference.pathAndQuery, headerFields: headerFields)
  }

  /// The URL composed from its parts.
  public var url: String { URLReference.text(scheme, authority, path ?? "") }
}
