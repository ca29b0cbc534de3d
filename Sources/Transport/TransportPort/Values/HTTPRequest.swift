/// The head of a request: a method, where it goes, and the fields to send with it.
///
/// A value of this type may be wrong: it is a wish. ``WireRequest`` is what may be sent, and the only
/// way from one to the other is ``WireRequest/init(_:body:)``, which refuses what is wrong.
public struct HTTPRequest: Sendable, Hashable {
  /// What is asked for.
  public var method: Method

  /// `http` or `https`; anything else is refused when the request is sent.
  public var scheme: String?

  /// Host and optional port, such as `example.com:8080`. Userinfo is never sent.
  public var authority: String?

  /// Path and query, sent verbatim. A fragment is never sent.
  public var path: String?

  /// The fields to send; they override those that the transport would add.
  public var headerFields: HTTPFields

  /// A request from the parts of its URL.
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

  /// A request for a URL; one that cannot be sent is refused when the request is sent.
  public init(method: Method = .get, url: String, headerFields: HTTPFields = [:]) {
    let reference = URLReference(url)
    self.init(
      method: method, scheme: reference.scheme, authority: reference.authority,
      path: reference.pathAndQuery, headerFields: headerFields)
  }

  /// The URL put together from its parts, without a fragment.
  public var url: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + (path ?? "")
  }
}
