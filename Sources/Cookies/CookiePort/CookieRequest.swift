import Foundation

/// The request that sets or carries cookies: the relevant parts of its URL and its origin.
public struct CookieRequest: Sendable, Hashable {
  /// Whether the scheme is secure (`https`, `wss`).
  public var isSecure: Bool

  /// The canonical host: lower-case A-labels, or an IP address without brackets.
  public private(set) var host: String

  /// The URL's path without query, not percent-decoded; `/` if it is empty.
  public private(set) var path: String

  /// Whether HTTP or a script accesses the cookies.
  public var access: Access

  /// Whether the request comes from the same site.
  public var isSameSite: Bool

  /// Whether the request navigates the top-level page.
  public var isTopLevelNavigation: Bool

  /// Whether the request's method is safe (RFC 9110 §9.2.1).
  public var isSafeMethod: Bool

  /// The interface through which cookies are accessed.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// An HTTP request or response.
    case http
    /// A non-HTTP interface, such as `document.cookie`.
    case script
  }

  /// Creates a request to a host and path, and converts both to canonical form.
  ///
  /// - Parameters:
  ///   - isSecure: Whether the scheme is secure.
  ///   - host: A host name (U-labels and percent forms allowed) or an IP address (IPv6 with or
  ///     without brackets), without port.
  ///   - path: The URL's path. A query or fragment is removed; bytes that are invalid in a URL are
  ///     percent-encoded.
  ///   - access: Whether HTTP or a script accesses the cookies.
  ///   - isSameSite: Whether the request comes from the same site.
  ///   - isTopLevelNavigation: Whether the request navigates the top-level page.
  ///   - isSafeMethod: Whether the request's method is safe.
  /// - Throws: ``CookieRequestError/invalidHost(_:)``.
  public init(
    isSecure: Bool, host: String,
    path: String = "/",
    access: Access = .http,
    isSameSite: Bool = true, isTopLevelNavigation: Bool = false, isSafeMethod: Bool = true
  ) throws(CookieRequestError) {
    guard let canonical = CanonicalHost(host) else { throw .invalidHost(host) }
    self.isSecure = isSecure
    self.host = canonical.name
    self.path = Self.canonicalPath(path)
    self.access = access
    self.isSameSite = isSameSite
    self.isTopLevelNavigation = isTopLevelNavigation
    self.isSafeMethod = isSafeMethod
  }

  /// Creates a request to a URL; user, password, port, query and fragment are ignored.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - access: Whether HTTP or a script accesses the cookies.
  ///   - isSameSite: Whether the request comes from the same site.
  ///   - isTopLevelNavigation: Whether the request navigates the top-level page.
  ///   - isSafeMethod: Whether the request's method is safe.
  /// - Throws: ``CookieRequestError`` if the URL has no scheme or no valid host.
  public init(
    _ url: URL, access: Access = .http, isSameSite: Bool = true,
    isTopLevelNavigation: Bool = false, isSafeMethod: Bool = true
  ) throws(CookieRequestError) {
    guard let scheme = url.scheme else { throw .missingScheme(url.absoluteString) }
    guard let host = url.host(), !host.isEmpty else {
      throw .missingHost(url.absoluteString)
    }
    try self.init(
      isSecure: ["https", "wss"].contains(scheme.lowercased()), host: host,
      path: url.path(percentEncoded: true), access: access, isSameSite: isSameSite,
      isTopLevelNavigation: isTopLevelNavigation, isSafeMethod: isSafeMethod)
  }

  /// Creates a request to a URL given as text; user, password, port, query and fragment are
  /// ignored.
  ///
  /// - Parameters:
  ///   - url: The URL's text.
  ///   - access: Whether HTTP or a script accesses the cookies.
  ///   - isSameSite: Whether the request comes from the same site.
  ///   - isTopLevelNavigation: Whether the request navigates the top-level page.
  ///   - isSafeMethod: Whether the request's method is safe.
  /// - Throws: ``CookieRequestError`` if the text is not a URL, or has no scheme or no valid host.
  public init(
    _ url: String, access: Access = .http, isSameSite: Bool = true,
    isTopLevelNavigation: Bool = false, isSafeMethod: Bool = true
  ) throws(CookieRequestError) {
    guard let parsed = URL(string: url) else { throw .invalidURL(url) }
    try self.init(
      parsed, access: access, isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation,
      isSafeMethod: isSafeMethod)
  }

  /// Returns the path without query and fragment, percent-encoded; `/` unless it begins with `/`.
  private static func canonicalPath(_ path: String) -> String {
    let bytes = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard bytes.first == UInt8(ascii: "/") else { return "/" }
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in bytes {
      if byte > 0x20 && byte < 0x7F {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
