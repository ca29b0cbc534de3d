/// The rule that rejects a cookie.
///
/// Sections are those of RFC 6265bis (draft 22) unless stated otherwise. If several rules reject a
/// cookie, the rules that don't depend on the store come first, in the order of §5.6 and §5.7.
public enum CookieRejection: String, Error, Sendable, Hashable, Codable, CaseIterable {
  /// A control character other than TAB (§5.6); in both profiles, because header fields forbid
  /// them.
  case controlCharacter

  /// An empty name and an empty value (§5.7, step 2).
  case emptyNameAndValue

  /// A name and value of over 4,096 bytes together (§5.6).
  case tooLarge

  /// No name, in the profile `rfc6265` (RFC 6265 §5.2).
  case missingName

  /// A `Domain` with non-ASCII characters (§5.7, step 8).
  case nonASCIIDomain

  /// A `Domain` that is a public suffix and not the host itself (§5.7, step 9).
  case publicSuffix

  /// A `Domain` that doesn't cover the request's host (§5.7, step 10).
  case domainMismatch

  /// A `Secure` cookie from an insecure origin (§5.7, step 13).
  case insecureOrigin

  /// An `HttpOnly` cookie from a script (§5.7, step 15).
  case httpOnlyFromScript

  /// A cross-site request that is not a top-level navigation sets it without `SameSite=None` (§5.7, step 18).
  case crossSite

  /// `SameSite=None` without `Secure` (§5.7, step 19).
  case sameSiteNoneNeedsSecure

  /// A name beginning with `__Secure-` without `Secure` (§5.7, step 20).
  case securePrefix

  /// A name beginning with `__Host-` without `Secure`, with `Domain`, or without `Path=/`
  /// (§5.7, step 21).
  case hostPrefix

  /// No name, and a value that begins like a prefixed name (§5.7, step 22).
  case namelessPrefix

  /// A cookie from an insecure origin that overlays a `Secure` one of the same name (§5.7, step
  /// 16).
  case overlaysSecure

  /// A cookie from a script that replaces an `HttpOnly` one (§5.7, step 23).
  case overwritesHTTPOnly

  /// A cookie to restore with a field that no `Set-Cookie` line can produce.
  case notRestorable
}

extension CookieRejection: CustomStringConvertible {
  /// What was rejected, and what to do.
  public var description: String {
    switch self {
    case .controlCharacter:
      "the cookie contains a control character other than TAB: encode the value, such as in base64"
    case .emptyNameAndValue:
      "the cookie has neither name nor value: give it a name"
    case .tooLarge:
      "the cookie's name and value exceed 4,096 bytes together: store the data elsewhere"
    case .missingName:
      "the cookie has no name, which RFC 6265 requires: write name=value, or use rfc6265bis"
    case .nonASCIIDomain:
      "the cookie's Domain has non-ASCII characters: write it in A-labels (xn--…)"
    case .publicSuffix:
      "the cookie's Domain is a public suffix: use a domain below it, or remove Domain"
    case .domainMismatch:
      "the cookie's Domain doesn't cover the request's host: use the host or a parent domain"
    case .insecureOrigin:
      "a Secure cookie came from an insecure origin: set it over https"
    case .httpOnlyFromScript:
      "a script set an HttpOnly cookie: remove HttpOnly, or set the cookie by HTTP"
    case .crossSite:
      "a cross-site request other than a top-level navigation set a cookie: add SameSite=None; Secure"
    case .sameSiteNoneNeedsSecure:
      "the cookie is SameSite=None without Secure: add Secure"
    case .securePrefix:
      "the cookie's name begins with __Secure- without Secure: add Secure, or rename the cookie"
    case .hostPrefix:
      "the cookie's name begins with __Host-: add Secure and Path=/, and remove Domain"
    case .namelessPrefix:
      "the nameless cookie's value begins like a prefixed name: give the cookie a name"
    case .overlaysSecure:
      "a Secure cookie of that name exists and the origin is insecure: set the cookie over https"
    case .overwritesHTTPOnly:
      "a script can't replace an HttpOnly cookie: set the cookie by HTTP"
    case .notRestorable:
      "no Set-Cookie line produces the cookie: check for a domain that isn't canonical, a path without "
        + "'/', ';' or '=' in a text, and dates after the year 9999"
    }
  }
}
