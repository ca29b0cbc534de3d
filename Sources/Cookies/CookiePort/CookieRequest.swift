import Foundation

/// The request that a cookie comes with or goes to: its URL's parts and who is asking.
public struct CookieRequest: Sendable, Hashable {
  /// Whether the scheme protects the connection (`https`, `wss`).
  public var isSecure: Bool

  /// The canonical host: lower-case A-labels, or an IP address without brackets.
  public private(set) var host: String

  /// The path as it stands in the URL, percent forms kept, without query; `/` where it is empty.
  public private(set) var path: String

  /// Whether HTTP or a script is asking.
  public var access: Access

  /// Whether the request comes from the same site.
  public var isSameSite: Bool

  /// Whether the request navigates the top-level page.
  public var isTopLevelNavigation: Bool

  /// Whether the request's method is safe (RFC 9110 §9.2.1).
  public var isSafeMethod: Bool

  /// Who is asking.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// An HTTP request or response.
    case http
    /// A non-HTTP interface, such as `document.cookie`.
    case script
  }

  /// A request to a host and path; both are made canonical.
  ///
  /// - Parameters:
  ///   - isSecure: Whether the scheme protects the connection.
  ///   - host: A host name (U-labels and percent forms allowed) or an IP address (IPv6 with or
  ///     without brackets), without port.
  ///   - path: The URL's path; a query or fragment is cut off, octets that a URL can't hold are
  ///     percent-encoded.
  ///   - access: Whether HTTP or a script is asking.
  ///   - isSameSite: Whether the request comes from the same site.
  ///   - isTopLevelNavigation: Whether it navigates the top-level page.
  ///   - isSafeMethod: Whether its method is safe.
  /// - Throws: ``CookieRequestError/invalidHost(_:)``.
  public init(
    isSecure: Bool, host: String, path: String = "/", access: Access = .http,
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

  /// A request for a URL; user, password, port, query and fragment play no part.
  ///
  /// - Throws: ``CookieRequestError`` for a URL without a scheme or a usable host.
  public init(
    _ url: URL, access: Access = .http, isSameSite: Bool = true,
    isTopLevelNavigation: Bool = false, isSafeMethod: Bool = true
  ) throws(CookieRequestError) {
    guard let scheme = url.scheme else { throw .missingScheme(url.absoluteString) }
    guard let host = url.host(percentEncoded: false), !host.isEmpty else {
      throw .missingHost(url.absoluteString)
    }
    try self.init(
      isSecure: ["https", "wss"].contains(scheme.lowercased()), host: host,
      path: url.path(percentEncoded: true), access: access, isSameSite: isSameSite,
      isTopLevelNavigation: isTopLevelNavigation, isSafeMethod: isSafeMethod)
  }

  /// A request for a URL given as text.
  ///
  /// - Throws: ``CookieRequestError`` for text that is no URL, or has no scheme or usable host.
  public init(
    _ url: String, access: Access = .http, isSameSite: Bool = true,
    isTopLevelNavigation: Bool = false, isSafeMethod: Bool = true
  ) throws(CookieRequestError) {
    guard let parsed = URL(string: url) else { throw .invalidURL(url) }
    try self.init(
      parsed, access: access, isSameSite: isSameSite, isTopLevelNavigation: isTopLevelNavigation,
      isSafeMethod: isSafeMethod)
  }

  /// The path up to a query or fragment, in octets that a URL can hold; `/` if it begins otherwise.
  private static func canonicalPath(_ path: String) -> String {
    let octets = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard octets.first == UInt8(ascii: "/") else { return "/" }
    guard !octets.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return String(octets) ?? "/" }
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for octet in octets {
      if octet > 0x20 && octet < 0x7F {
        encoded.append(octet)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
