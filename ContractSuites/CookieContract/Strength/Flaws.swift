import CookiePort
import Foundation

/// The decisions that a cookie store takes, each of which a saboteur may take wrongly.
///
/// As they stand they are right: a ``FlawedCookieStore`` with these satisfies the contract.
struct Flaws: Sendable {
  /// What is changed in the policy that the store is given.
  var policy: @Sendable (inout CookiePolicy) -> Void = { _ in }

  /// What the store takes for the present.
  var now: @Sendable (Date) -> Date = { $0 }

  /// What is changed in a line before it is read.
  var line: @Sendable (_ line: String, _ policy: CookiePolicy) -> String = { line, _ in line }

  /// What is changed in the request that a line comes from.
  var origin: @Sendable (inout CookieRequest) -> Void = { _ in }

  /// The cookie that is stored although it is to be refused, or `nil`.
  var pardon: @Sendable (CookieRejection, Arrival) -> Cookie? = { _, _ in nil }

  /// The reason for which a cookie is refused although it is sound, or `nil`.
  var refusal: @Sendable (Cookie, Arrival) -> CookieRejection? = { _, _ in nil }

  /// What is changed in a cookie that is let in.
  var admitted: @Sendable (inout Cookie, Arrival) -> Void = { _, _ in }

  /// Whether a cookie from an insecure origin is refused because of one that is there.
  var overlays: @Sendable (_ new: Cookie, _ old: Cookie, _ policy: CookiePolicy) -> Bool = {
    new, old, policy in
    guard policy.profile == .rfc6265bis else { return false }
    return old.isSecure && old.name.hasSameOctets(as: new.name)
      && (DomainMatch.matches(host: old.domain, domain: new.domain)
        || DomainMatch.matches(host: new.domain, domain: old.domain))
      && PathMatch.matches(request: new.path, cookie: old.path)
  }

  /// Whether a cookie that has expired counts in that.
  var isOverlaidByExpired = false

  /// Whether a script may not replace an `HttpOnly` cookie.
  var guardsHTTPOnly = true

  /// Whether two cookies are one.
  var isSame: @Sendable (Cookie, Cookie, CookiePolicy) -> Bool = { one, other, policy in
    one.name.hasSameOctets(as: other.name) && one.path.hasSameOctets(as: other.path)
      && one.domain == other.domain
      && (one.isHostOnly == other.isHostOnly || !policy.isHostOnlyPartOfIdentity)
  }

  /// What a cookie takes over from the one that it replaces.
  var replacing: @Sendable (inout Cookie, _ old: Cookie) -> Void = { $0.creation = $1.creation }

  /// Whether a cookie that replaces another keeps its place in the order.
  var keepsPlace = true

  /// The creation of a new cookie, given the latest of those that are there.
  var creation: @Sendable (_ now: Date, _ latest: Date?) -> Date = { max($0, $1 ?? $0) }

  /// Whether a cookie has expired.
  var hasExpired: @Sendable (Cookie, Date) -> Bool = { cookie, now in
    cookie.expires.map { $0 <= now } ?? false
  }

  /// Whether an expired cookie is found by requests and in the list.
  var showsExpired = false

  /// Whether expired cookies go when another is stored.
  var evictsExpired = true

  /// Whether a line whose cookie has expired deletes the one of its identity.
  var deletesByExpiry = true

  /// Whether a request carries a cookie.
  var sends: @Sendable (Cookie, CookieRequest, CookiePolicy) -> Bool = { $2.sends($0, with: $1) }

  /// Whether one cookie stands before another in a header; by creation where neither does.
  var leads: @Sendable (Cookie, Cookie) -> Bool = { $0.path.utf8.count > $1.path.utf8.count }

  /// What is changed in the cookies that a request carries.
  var sent: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Whether a cookie given to a request has been used.
  var touches = true

  /// Whether the list of all uses the cookies.
  var touchesOnListing = false

  /// What is changed in the list of all.
  var listed: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Whether one cookie of a crowded domain goes before another; by creation where neither does.
  var goesFirst: @Sendable (Cookie, Cookie) -> Bool = {
    $0.isSecure == $1.isSecure ? $0.lastAccess < $1.lastAccess : !$0.isSecure
  }

  /// The same, where there are too many cookies in all.
  var goesFirstOfAll: @Sendable (Cookie, Cookie) -> Bool = { $0.lastAccess < $1.lastAccess }

  /// What is changed in a cookie to be deleted.
  var deleted: @Sendable (Cookie, Cookie.ID) -> Bool = { $0.id == $1 }

  /// Whether clearing removes a cookie.
  var isCleared: @Sendable (Cookie) -> Bool = { _ in true }

  /// Whether a cookie ends with the session.
  var endsWithSession: @Sendable (Cookie) -> Bool = { $0.expires == nil }

  /// What is changed in the count of the expired cookies removed.
  var count: @Sendable (Int) -> Int = { $0 }

  /// What flushing does to the cookies.
  var flushed: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// What is changed in the cookies to restore.
  var restored: @Sendable (inout [Cookie], Date) -> Void = { _, _ in }

  /// Whether those that are sound are restored although one is not.
  var restoresInPart = false

  /// Whether a cookie that no line could make is restored.
  var restoresAnything = false

  /// What is changed in the answer to a line.
  var answer: @Sendable (CookieChange?) -> CookieChange? = { $0 }

  /// What is told of the changes of one operation.
  var told: @Sendable ([CookieChange]) -> [CookieChange] = { $0 }

  /// Whether readers after the first are told.
  var tellsAll = true

  /// Whether cookies are kept in the folder of the setup.
  var isKept = true

  /// What is changed in the cookies on their way to the file.
  var saved: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Whether each change is written at once, or all when the store is flushed.
  var savesAtOnce = true

  /// Whether the file is read before each operation, or once.
  var readsAgain = true

  /// The permissions of the file.
  var fileMode = 0o600

  /// Whether nobody else gets in between reading and writing.
  var locksFile = true

  /// A line on its way in.
  struct Arrival: Sendable {
    var line: String
    var request: CookieRequest
    var policy: CookiePolicy
    var now: Date

    /// The values of an attribute, in order, without surrounding white space.
    func values(of attribute: String) -> [String] {
      line.components(separatedBy: ";").dropFirst().compactMap {
        let parts = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard Self.trim(parts[0]).lowercased() == attribute.lowercased() else { return nil }
        return parts.count > 1 ? Self.trim(parts[1]) : ""
      }
    }

    private static func trim(_ text: Substring) -> String {
      text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// The cookie of the line without its `Domain`, for the domain that this named.
    func forNamedDomain() -> Cookie? {
      let domain = (values(of: "Domain").last ?? "").drop { $0 == "." }.lowercased()
      var cookie = admitted { line, _, _ in line.rewrite("Domain") { _ in nil } }
      cookie?.domain = domain
      cookie?.isHostOnly = false
      return cookie
    }

    /// The cookie of the line, as it would be if it were written and sent in another way.
    func admitted(
      _ change: (inout String, inout CookieRequest, inout CookiePolicy) -> Void
    ) -> Cookie? {
      var line = line
      var request = request
      var policy = policy
      change(&line, &request, &policy)
      return try? policy.admit(line, from: request, now: now)
    }
  }
}

extension String {
  /// Rewrites the value of an attribute of a `Set-Cookie` line; `nil` removes the attribute.
  mutating func rewrite(_ attribute: String, _ change: (String) -> String?) {
    var parts: [String] = []
    for (index, part) in components(separatedBy: ";").enumerated() {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = halves[0].trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
      guard index > 0, name.lowercased() == attribute.lowercased() else {
        parts.append(part)
        continue
      }
      let value = halves.count > 1 ? halves[1] : ""
      let trimmed = value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
      if let new = change(trimmed) { parts.append(" \(attribute)=\(new)") }
    }
    self = parts.joined(separator: ";")
  }

  /// The line with the value of an attribute rewritten; `nil` removes the attribute.
  func rewriting(_ attribute: String, _ change: (String) -> String?) -> String {
    var line = self
    line.rewrite(attribute, change)
    return line
  }
}
