import Foundation

/// A stored cookie, with every field that RFC 6265bis §5.7 keeps.
public struct Cookie: Sendable, Codable {
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

  /// When the cookie ends, or `nil` for a session cookie.
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
}
