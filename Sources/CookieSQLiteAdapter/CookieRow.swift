import CookiePort
import Foundation

/// A row of the cookie table.
struct CookieRow {
  var cookie: Cookie

  /// Its place among cookies of equal creation; an overwrite keeps it, no other row ever has it.
  var sequence: Int64

  /// The last access that the file holds; the cookie has a later one that still waits.
  var storedAccess: Date

  /// The columns, in the order in which ``init(_:domain:)`` reads them.
  static let columns = """
    domain, path, name, host_only, value, expires, secure, http_only, same_site, creation, \
    last_access, sequence
    """

  /// The row that a statement stands at, or `nil` where it holds what no store writes.
  ///
  /// - Parameters:
  ///   - statement: A statement that gives ``columns``.
  ///   - domain: The domain, if it is known: it saves making the string anew.
  init?(_ statement: Statement, domain: String? = nil) {
    guard let domain = domain ?? statement.text(0),
      let path = statement.text(1), path.utf8.first == UInt8(ascii: "/"),
      let name = statement.text(2), let isHostOnly = statement.boolean(3),
      let value = statement.text(4), let expires = statement.optionalDate(5),
      let isSecure = statement.boolean(6), let isHTTPOnly = statement.boolean(7),
      let sameSite = Cookie.SameSite(code: statement.integer(8)),
      let creation = statement.date(9), let lastAccess = statement.date(10),
      let sequence = statement.integer(11)
    else { return nil }
    cookie = Cookie(
      name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
      expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite,
      creation: creation, lastAccess: lastAccess)
    self.sequence = sequence
    storedAccess = lastAccess
  }

  /// Whether this one was created before another.
  func precedes(_ other: CookieRow) -> Bool {
    cookie.creation == other.cookie.creation
      ? sequence < other.sequence : cookie.creation < other.cookie.creation
  }

  /// Whether this one stands before another in a header (RFC 6265bis §5.8.3, step 2).
  func leads(_ other: CookieRow) -> Bool {
    let length = cookie.path.utf8.count
    let otherLength = other.cookie.path.utf8.count
    return length == otherLength ? precedes(other) : length > otherLength
  }
}

extension Cookie {
  /// Whether the cookie's expiry has come.
  func hasExpired(now: Date) -> Bool {
    guard let expires else { return false }
    return expires <= now
  }
}

extension Cookie.SameSite {
  /// The integer that stands for it in the file.
  var code: Int64 {
    switch self {
    case .unspecified: 0
    case .lax: 1
    case .strict: 2
    case .none: 3
    }
  }

  init?(code: Int64?) {
    switch code {
    case 0: self = .unspecified
    case 1: self = .lax
    case 2: self = .strict
    case 3: self = .none
    default: return nil
    }
  }
}
