import Foundation

/// The cookies of one API, as an app's network client wants them: by name.
///
/// A provider is bound to one URL and sees what a request to that URL would carry. Implementations
/// may be synchronous: a method that doesn't wait satisfies one that may.
public protocol CookieProvider: Sendable {
  /// The cookie of that name that comes first in the `Cookie` header, or `nil`.
  ///
  /// - Throws: ``CookieProviderError/store(_:)``.
  func cookie(named name: String) async throws(CookieProviderError) -> NamedCookie?

  /// Sets a cookie for the URL's host alone, in place of one of the same name and path.
  ///
  /// - Throws: ``CookieProviderError``; nothing has changed then.
  func set(_ cookie: NamedCookie) async throws(CookieProviderError)

  /// Deletes every cookie of that name that a request to the URL would carry, whatever its domain
  /// and path, those hidden from scripts included; none is no error.
  ///
  /// - Throws: ``CookieProviderError/store(_:)``.
  func deleteCookie(named name: String) async throws(CookieProviderError)
}

/// A cookie as a client of one API sees it.
public struct NamedCookie: Sendable, Hashable {
  /// The name: not empty, without `=`, `;`, control characters or surrounding white space.
  public var name: String

  /// The value: without `;`, control characters or surrounding white space.
  public var value: String

  /// The path under which it is sent, beginning with `/`.
  public var path: String

  /// When it ends, kept to whole seconds; `nil` for a session cookie.
  public var expires: Date?

  /// Whether it goes over secure connections only.
  public var isSecure: Bool

  /// Whether it is hidden from scripts.
  public var isHTTPOnly: Bool

  /// A cookie of these attributes; without others, a session cookie for the whole host.
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

  /// Whether all attributes are equal, strings by octets.
  public static func == (one: NamedCookie, other: NamedCookie) -> Bool {
    one.name.hasSameOctets(as: other.name) && one.value.hasSameOctets(as: other.value)
      && one.path.hasSameOctets(as: other.path) && one.expires == other.expires
      && one.isSecure == other.isSecure && one.isHTTPOnly == other.isHTTPOnly
  }
}

/// Why a provider did not do what it was asked to.
public enum CookieProviderError: Error, Sendable, Hashable {
  /// The attribute holds something that a cookie can't carry.
  case malformed(Attribute, String)

  /// The store refused the cookie, or failed.
  case store(CookieStoreError)

  /// An attribute of ``NamedCookie`` that is text.
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
      "the cookie's \(attribute) '\(text)' holds what a cookie can't carry: leave out ';', control "
        + "characters and surrounding spaces; a name is not empty and has no '='; a path begins "
        + "with '/'"
    case .store(let error): "\(error)"
    }
  }
}

extension NamedCookie {
  /// Checks that a `Set-Cookie` line can carry the cookie as it is.
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
