import Foundation

/// Access to the cookies of one API by name, for an app's network client.
///
/// A provider is bound to one URL and sees the cookies that a request to that URL carries.
public protocol CookieProvider: Sendable {
  /// Returns the first cookie of a name in the `Cookie` header, or `nil`.
  ///
  /// - Parameter name: The name, case-sensitive.
  /// - Throws: ``CookieProviderError/store(_:)``.
  func cookie(named name: String) async throws(CookieProviderError) -> NamedCookie?

  /// Sets a host-only cookie for the URL's host; it replaces one of the same name and path.
  ///
  /// - Parameter cookie: The cookie; if it has expired, it deletes the existing one.
  /// - Throws: ``CookieProviderError``; the store is unchanged.
  func set(_ cookie: NamedCookie) async throws(CookieProviderError)

  /// Deletes every cookie of a name that a request to the URL carries, including `HttpOnly` ones.
  ///
  /// It isn't an error if there is none.
  /// - Parameter name: The name, case-sensitive.
  /// - Throws: ``CookieProviderError/store(_:)``.
  func deleteCookie(named name: String) async throws(CookieProviderError)
}

/// A cookie of a ``CookieProvider``.
public struct NamedCookie: Sendable, Hashable {
  /// The name: not empty, without `=`, `;`, control characters or surrounding white space.
  public var name: String

  /// The value: without `;`, control characters or surrounding white space.
  public var value: String

  /// The path under which the cookie is sent, beginning with `/`.
  public var path: String

  /// When the cookie expires, in whole seconds; `nil` for a session cookie.
  public var expires: Date?

  /// Whether the cookie is sent over secure connections only.
  public var isSecure: Bool

  /// Whether the cookie is hidden from scripts.
  public var isHTTPOnly: Bool

  /// Creates a cookie; by default a session cookie for all paths of the host.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  ///   - path: The path under which the cookie is sent, beginning with `/`.
  ///   - expires: When the cookie expires; `nil` for a session cookie.
  ///   - isSecure: Whether the cookie is sent over secure connections only.
  ///   - isHTTPOnly: Whether the cookie is hidden from scripts.
  public init(
    name: String, value: String, path: String = "/", expires: Date? = nil, isSecure: Bool = false,
    isHTTPOnly: Bool = false
  ) {
    self.name = name
    self.value = value
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
  }

  /// Whether all attributes are equal, strings byte by byte.
  public static func == (one: NamedCookie, other: NamedCookie) -> Bool {
    one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
      && one.path.hasSameBytes(as: other.path) && one.expires == other.expires
      && one.isSecure == other.isSecure && one.isHTTPOnly == other.isHTTPOnly
  }
}

/// An error of a ``CookieProvider``.
public enum CookieProviderError: Error, Sendable, Hashable {
  /// The attribute has this text, which a cookie can't carry.
  case malformed(Attribute, String)

  /// The store rejected the cookie, or failed.
  case store(CookieStoreError)

  /// A text attribute of ``NamedCookie``.
  public enum Attribute: String, Sendable, Hashable, CaseIterable {
    /// The name.
    case name
    /// The value.
    case value
    /// The path.
    case path
  }
}

extension CookieProviderError: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    switch self {
    case .malformed(let attribute, let text):
      "the cookie's \(attribute) '\(text)' is malformed: remove ';', control characters and "
        + "surrounding spaces; a name must not be empty or contain '='; a path must begin with '/'"
    case .store(let error): "\(error)"
    }
  }
}

extension NamedCookie {
  /// Checks that a `Set-Cookie` line can carry the cookie unchanged.
  ///
  /// - Throws: ``CookieProviderError/malformed(_:_:)``.
  package func validate() throws(CookieProviderError) {
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")), Self.isPlain(name) else {
      throw .malformed(.name, name)
    }
    guard Self.isPlain(value) else { throw .malformed(.value, value) }
    guard path.utf8.first == UInt8(ascii: "/"), Self.isPlain(path),
      path.utf8.count <= SetCookie.longestAttributeValue
    else { throw .malformed(.path, path) }
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.utf8.contains { $0 == UInt8(ascii: ";") || $0.isCookieControl }
      && text.utf8.first?.isCookieSpace != true && text.utf8.last?.isCookieSpace != true
  }
}
