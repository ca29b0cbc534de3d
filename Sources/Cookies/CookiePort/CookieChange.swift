/// One change of a store's contents.
public enum CookieChange: Sendable, Hashable {
  /// A cookie was stored, in place of an earlier one of the same identity where there was one.
  case stored(Cookie, replacing: Cookie?)

  /// A cookie went away.
  case removed(Cookie, Cause)

  /// Why a cookie went away.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// It was deleted by identity, or with all others.
    case deleted
    /// Its expiry came, or a `Set-Cookie` line of the same identity had already expired.
    case expired
    /// The limits on the number of cookies asked for its place (RFC 6265bis §5.7).
    case evicted
    /// The session ended.
    case sessionEnded
  }
}
