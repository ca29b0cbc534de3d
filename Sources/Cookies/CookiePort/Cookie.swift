import Foundation

/// A stored cookie, with every field of RFC 6265bis §5.7.
///
/// Two cookies are equal if all their fields are, strings byte by byte: `é` as one Unicode scalar
/// and as two scalars are different values.
public struct Cookie: Sendable, Codable, Identifiable {
  /// The name, possibly empty; case-sensitive.
  public var name: String

  /// The value as received, including quotes, percent signs and inner white space.
  public var value: String

  /// The canonical host or domain: lower-case A-labels without a leading dot, or an IP address.
  public var domain: String

  /// Whether the cookie is sent to `domain` only and not to its subdomains.
  public var isHostOnly: Bool

  /// The path, beginning with `/`.
  public var path: String

  /// When the cookie expires, or `nil` for a session cookie. At that instant it has expired.
  public var expires: Date?

  /// Whether the cookie is sent over secure connections only.
  public var isSecure: Bool

  /// Whether the cookie is hidden from scripts.
  public var isHTTPOnly: Bool

  /// The cross-site requests with which the cookie is sent.
  public var sameSite: SameSite

  /// When a cookie of this identity was first stored; replacing the cookie keeps it.
  public var creation: Date

  /// When the cookie was last stored or sent.
  public var lastAccess: Date

  /// The `SameSite` attribute (RFC 6265bis §5.6.7).
  public enum SameSite: String, Sendable, Codable, CaseIterable {
    /// Missing or unknown; treated like `lax`.
    case unspecified
    /// Same-site requests only.
    case strict
    /// Same-site requests, and safe top-level navigations from other sites.
    case lax
    /// Any request; requires `Secure`.
    case none
  }

  /// Creates a cookie without validation; a store validates the cookies that it restores.
  ///
  /// - Parameters:
  ///   - name: The name, possibly empty.
  ///   - value: The value.
  ///   - domain: The canonical host or domain, without a leading dot.
  ///   - isHostOnly: Whether the cookie is sent to `domain` only.
  ///   - path: The path, beginning with `/`.
  ///   - expires: When the cookie expires; `nil` for a session cookie.
  ///   - isSecure: Whether the cookie is sent over secure connections only.
  ///   - isHTTPOnly: Whether the cookie is hidden from scripts.
  ///   - sameSite: The cross-site requests with which the cookie is sent.
  ///   - creation: When the cookie was first stored.
  ///   - lastAccess: When the cookie was last stored or sent; `nil` for `creation`.
  @inlinable
  public init(
    name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
    expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false,
    sameSite: SameSite = .unspecified, creation: Date, lastAccess: Date? = nil
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
    self.creation = creation
    self.lastAccess = lastAccess ?? creation
  }
}

extension Cookie: Hashable {
  /// Whether all fields are equal, strings byte by byte.
  public static func == (one: Cookie, other: Cookie) -> Bool {
    one.id == other.id
      && one.value.hasSameBytes(as: other.value)
      && one.expires == other.expires
      && one.isSecure == other.isSecure
      && one.isHTTPOnly == other.isHTTPOnly
      && one.sameSite == other.sameSite
      && one.creation == other.creation
      && one.lastAccess == other.lastAccess
  }

  /// Feeds the identity, value and dates into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(value)
    hasher.combine(expires)
    hasher.combine(creation)
    hasher.combine(lastAccess)
  }
}
