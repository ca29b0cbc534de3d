/// The request that a cookie comes with or goes to: its URL's parts and who is asking.
public struct CookieRequest: Sendable, Hashable {
  /// Whether the scheme protects the connection (`https`, `wss`).
  public var isSecure: Bool

  /// The canonical host: lower-case A-labels, or an IP address without brackets.
  public var host: String

  /// The path as it stands in the URL, percent forms kept, without query; `/` where it is empty.
  public var path: String

  /// Whether HTTP or a script is asking.
  public var access: Access = .http

  /// Whether the request comes from the same site.
  public var isSameSite: Bool = true

  /// Whether the request navigates the top-level page.
  public var isTopLevelNavigation: Bool = false

  /// Whether the request's method is safe (RFC 9110 §9.2.1).
  public var isSafeMethod: Bool = true

  /// Who is asking.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// An HTTP request or response.
    case http
    /// A non-HTTP interface, such as `document.cookie`.
    case script
  }
}
