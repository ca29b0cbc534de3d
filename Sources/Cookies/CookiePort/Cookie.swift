import Foundation

/// A stored cookie, with every field that RFC 6265bis §5.7 keeps.
///
/// Two cookies are equal when all their fields are, strings octet by octet: `é` written as one
/// scalar and as two are different values.
public struct Cookie: Sendable, Codable, Identifiable {
  /// The name, possibly empty, by octets (case-sensitive).
  public var name: String

  /// The value, verbatim: quotes, percent signs and inner white space are kept.
  public var value: String

  /// The host or domain, canonical: lower-case A-labels without a leading dot, or an IP address.
  public var domain: String

  /// Whether the cookie goes to `domain` alone and not to the hosts below it.
  public var isHostOnly: Bool

  /// The path, beginning with `/`.
  public var path: String

  /// When the cookie ends, or `nil` for a session cookie; at that instant it has expired.
  public var expires: Date?

  /// Whether it goes over secure connections only.
  public var isSecure: Bool

  /// Whether it is hidden from scripts.
  public var isHTTPOnly: Bool

  /// On which cross-site requests it goes along.
  public var sameSite: SameSite

  /// When a cookie of this identity was first stored; an overwrite keeps it.
  public var creation: Date

  /// When the cookie was last stored, or last given to a request.
  public var lastAccess: Date

  /// The `SameSite` attribute (RFC 6265bis §5.6.7).
  public enum SameSite: String, Sendable, Codable, CaseIterable {
    /// Not given, or not known: like `lax`.
    case unspecified
    /// Same-site requests only.
    case strict
    /// Same-site requests, and safe top-level navigations from other sites.
    case lax
    /// Any request; needs `Secure`.
    case none
  }

  /// A cookie of these fields, unchecked: a store checks what it restores.
  ///
  /// - Parameters:
  ///   - name: The name, possibly empty.
  ///   - value: The value.
  ///   - domain: The canonical host or domain, without a leading dot.
  ///   - isHostOnly: Whether it goes to `domain` alone.
  ///   - path: The path, beginning with `/`.
  ///   - expires: When it ends; `nil` for a session cookie.
  ///   - isSecure: Whether it goes over secure connections only.
  ///   - isHTTPOnly: Whether it is hidden from scripts.
  ///   - sameSite: On which cross-site requests it goes along.
  ///   - creation: When it was first stored.
  ///   - lastAccess: When it was last used; `nil` for `creation`.
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
  /// Whether all fields are equal, strings by octets.
  public static func == (one: Cookie, other: Cookie) -> Bool {
    one.id == other.id
      && one.value.hasSameOctets(as: other.value)
      && one.expires == other.expires
      && one.isSecure == other.isSecure
      && one.isHTTPOnly == other.isHTTPOnly
      && one.sameSite == other.sameSite
      && one.creation == other.creation
      && one.lastAccess == other.lastAccess
  }

  /// Feeds what tells most cookies apart into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(value)
    hasher.combine(expires)
    hasher.combine(creation)
    hasher.combine(lastAccess)
  }
}
