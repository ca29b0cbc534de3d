import CookiePort
import Foundation

/// A row of the cookie table.
struct CookieRow {
  var cookie: Cookie

  /// The order among cookies of equal creation; unique, and kept when the cookie is replaced.
  var sequence: Int64

  /// The last access in the file; the cookie's may be later and still buffered.
  var storedAccess: Date

  /// The columns, in the order of the initializers below.
  ///
  /// - Parameter domain: The domain as an expression; a parameter is read faster than a column.
  static func columns(domain: String = "domain") -> String {
    """
    \(domain), path, name, host_only, value, expires, secure, http_only, same_site, creation, \
    last_access, sequence
    """
  }

  /// The number of ``columns(domain:)``, which is the index of a further one.
  static var columnCount: Int32 { 12 }

  /// Reads the current row of a statement that returns ``columns(domain:)``, or returns `nil` if a field is
  /// invalid.
  init?(_ statement: Statement) {
    guard let domain = statement.text(0), CanonicalHost.isCanonical(domain),
      let terms = Terms(statement), let content = Content(statement)
    else { return nil }
    cookie = Cookie(domain, terms, content, lastAccess: content.lastAccess)
    sequence = content.sequence
    storedAccess = content.lastAccess
  }

  /// Whether a `Set-Cookie` line of some profile produces the cookie.
  var isProducible: Bool { rejection == nil }

  /// The rule that every profile has against the cookie, or `nil`.
  private var rejection: CookieRejection? {
    var rejection: CookieRejection?
    for profile in CookiePolicy.Profile.allCases {
      do throws(CookieRejection) {
        try CookiePolicy(profile: profile).checkRestorable(cookie)
        return nil
      } catch {
        rejection = error
      }
    }
    return rejection
  }

  /// Returns what is invalid in the current row of a statement, for messages.
  static func problem(of statement: Statement) -> CookieSalvage.Problem {
    if let rejection = CookieRow(statement)?.rejection { return .rejected(rejection) }
    let isValid = [
      statement.text(0).map(CanonicalHost.isCanonical) ?? false,
      statement.text(1)?.utf8.first == UInt8(ascii: "/"), statement.text(2) != nil,
      statement.boolean(3) != nil, statement.text(4) != nil, statement.optionalDate(5) != nil,
      statement.boolean(6) != nil, statement.boolean(7) != nil,
      Cookie.SameSite(code: statement.integer(8)) != nil, statement.date(9) != nil,
      statement.date(10) != nil,
    ]
    let index = isValid.firstIndex(of: false) ?? isValid.count
    return .column(columns().components(separatedBy: ", ")[index])
  }

  /// The fields that, with the domain, decide whether a request carries the cookie.
  struct Terms {
    var path: String
    var expires: Date?
    var isHostOnly: Bool
    var isSecure: Bool
    var isHTTPOnly: Bool
    var sameSite: Cookie.SameSite

    @inline(__always)
    init?(_ statement: Statement) {
      guard let path = statement.text(1), path.utf8.first == UInt8(ascii: "/"),
        let isHostOnly = statement.boolean(3), let expires = statement.optionalDate(5),
        let isSecure = statement.boolean(6), let isHTTPOnly = statement.boolean(7),
        let sameSite = Cookie.SameSite(code: statement.integer(8))
      else { return nil }
      self.path = path
      self.expires = expires
      self.isHostOnly = isHostOnly
      self.isSecure = isSecure
      self.isHTTPOnly = isHTTPOnly
      self.sameSite = sameSite
    }
  }

  /// The other fields, read only if the request carries the cookie.
  struct Content {
    var name: String
    var value: String
    var creation: Date
    var lastAccess: Date
    var sequence: Int64

    @inline(__always)
    init?(_ statement: Statement) {
      guard let name = statement.text(2), let value = statement.text(4),
        let creation = statement.date(9), let lastAccess = statement.date(10),
        let sequence = statement.integer(11), Tally.range.contains(sequence)
      else { return nil }
      self.name = name
      self.value = value
      self.creation = creation
      self.lastAccess = lastAccess
      self.sequence = sequence
    }
  }

  /// Whether this cookie was created before another.
  func precedes(_ other: CookieRow) -> Bool {
    // not mutated (comparison): no two cookies have one sequence number.
    (cookie.creation, sequence) < (other.cookie.creation, other.sequence)
  }
}

extension Cookie {
  @inline(__always)
  init(
    _ domain: String, _ terms: consuming CookieRow.Terms, _ content: consuming CookieRow.Content,
    lastAccess: Date
  ) {
    self.init(
      name: content.name, value: content.value, domain: domain, isHostOnly: terms.isHostOnly,
      path: terms.path, expires: terms.expires, isSecure: terms.isSecure,
      isHTTPOnly: terms.isHTTPOnly, sameSite: terms.sameSite, creation: content.creation,
      lastAccess: lastAccess)
  }

  /// Whether the cookie has expired.
  func hasExpired(now: Date) -> Bool {
    guard let expires else { return false }
    return expires <= now
  }
}

extension Cookie.SameSite {
  /// The value in the file.
  var code: Int64 {
    switch self {
    case .unspecified: 0
    case .lax: 1
    case .strict: 2
    case .none: 3
    }
  }

  @inline(__always)
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
