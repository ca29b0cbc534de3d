/// The rule that refuses a cookie.
///
/// Sections are those of RFC 6265bis (draft 22) unless they say otherwise. Where several rules
/// refuse a cookie, those that need no look at the store come first, in the order of §5.6 and §5.7.
public enum CookieRejection: String, Error, Sendable, Hashable, CaseIterable {
  /// A control character other than TAB (§5.6); in both profiles, as no header field may hold one.
  case controlCharacter

  /// Name and value both empty (§5.7, step 2).
  case emptyNameAndValue

  /// Name and value together longer than 4,096 octets (§5.6).
  case tooLarge

  /// No name, in the profile of RFC 6265, §5.2.
  case missingName

  /// A `Domain` with an octet outside ASCII (§5.7, step 8).
  case nonASCIIDomain

  /// A `Domain` that is a public suffix and not the host itself (§5.7, step 9).
  case publicSuffix

  /// A `Domain` that the host is neither equal to nor below (§5.7, step 10).
  case domainMismatch

  /// `Secure`, from an origin that is not (§5.7, step 13).
  case insecureOrigin

  /// `HttpOnly`, from a script (§5.7, step 15).
  case httpOnlyFromScript

  /// Not `SameSite=None`, from a cross-site request that is no top-level navigation (§5.7, step 18).
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

  /// From an insecure origin, over a `Secure` cookie of the same name (§5.7, step 16).
  case overlaysSecure

  /// From a script, over an `HttpOnly` cookie (§5.7, step 23).
  case overwritesHTTPOnly

  /// To be restored, with a field that no `Set-Cookie` line can produce.
  case notRestorable
}

extension CookieRejection: CustomStringConvertible {
  /// What was refused, and what to do about it.
  public var description: String {
    switch self {
    case .controlCharacter:
      "the cookie holds a control character other than TAB: encode the value, for example in base64"
    case .emptyNameAndValue:
      "the cookie has neither name nor value: give it a name"
    case .tooLarge:
      "the cookie's name and value are over 4,096 octets together: keep the data elsewhere"
    case .missingName:
      "the cookie has no name, which RFC 6265 asks for: write name=value, or use rfc6265bis"
    case .nonASCIIDomain:
      "the cookie's Domain holds octets outside ASCII: write it in A-labels (xn--…)"
    case .publicSuffix:
      "the cookie's Domain is a public suffix: name a domain of your own, or leave Domain out"
    case .domainMismatch:
      "the request's host is not within the cookie's Domain: name the host or a domain above it"
    case .insecureOrigin:
      "a Secure cookie came from an insecure origin: set it over https"
    case .httpOnlyFromScript:
      "a script set an HttpOnly cookie: leave HttpOnly out, or set it by HTTP"
    case .crossSite:
      "a cross-site request that navigates no top-level page set a cookie: use SameSite=None; Secure"
    case .sameSiteNoneNeedsSecure:
      "the cookie is SameSite=None without Secure: add Secure"
    case .securePrefix:
      "the cookie's name begins with __Secure- and it is not Secure: add Secure, or rename it"
    case .hostPrefix:
      "the cookie's name begins with __Host-: it needs Secure and Path=/, and no Domain"
    case .namelessPrefix:
      "the nameless cookie's value begins like a prefixed name: give the cookie a name"
    case .overlaysSecure:
      "a Secure cookie of that name stands there, and the origin is insecure: set it over https"
    case .overwritesHTTPOnly:
      "an HttpOnly cookie stands there, and a script may not replace it: set it by HTTP"
    case .notRestorable:
      "a field of the cookie is not in canonical form: see Cookie for what each field may hold"
    }
  }
}
