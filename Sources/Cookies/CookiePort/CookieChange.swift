/// A change of a store's contents.
public enum CookieChange: Sendable, Hashable {
  /// A cookie was stored; `replacing` is the earlier cookie of the same identity, if there was one.
  case stored(Cookie, replacing: Cookie?)

  /// A cookie was removed.
  case removed(Cookie, Cause)

  /// Why a cookie was removed.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// It was deleted by identity, or with all other cookies.
    case deleted
    /// It expired, or an expired `Set-Cookie` line of the same identity arrived.
    case expired
    /// It exceeded the limits on the number of cookies (RFC 6265bis §5.7).
    case evicted
    /// The session ended.
    case sessionEnded
  }
}
