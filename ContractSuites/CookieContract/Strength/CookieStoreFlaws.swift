import CookiePort
import Foundation

/// The decisions of a ``FlawedCookieStore``, each of which a saboteur may replace with a wrong one.
///
/// The default of each decision is correct: a store with unchanged flaws satisfies the contract.
struct CookieStoreFlaws: Sendable {
  // MARK: Setup

  /// Changes the policy that the store is given.
  var policy: @Sendable (inout CookiePolicy) -> Void = { _ in }

  /// Changes the time that the store reads from its clock.
  var now: @Sendable (Date) -> Date = { $0 }

  // MARK: Storing

  /// Changes a line before the store parses it.
  var line: @Sendable (_ line: String, _ policy: CookiePolicy) -> String = { line, _ in line }

  /// Returns a cookie to store in place of one that the policy rejects, or `nil` to throw.
  var admitRejected: @Sendable (CookieRejection, ReceivedLine) -> Cookie? = { _, _ in nil }

  /// Returns a reason to reject a cookie that the policy admits, or `nil` to store it.
  var rejectAdmitted: @Sendable (Cookie, ReceivedLine) -> CookieRejection? = { _, _ in nil }

  /// Changes a cookie that the policy admits.
  var admitted: @Sendable (inout Cookie, ReceivedLine) -> Void = { _, _ in }

  /// Whether a cookie from an insecure origin overlays this `Secure` cookie and is rejected.
  var overlaysSecure: @Sendable (_ new: Cookie, _ old: Cookie, _ policy: CookiePolicy) -> Bool = {
    new, old, policy in
    guard policy.profile == .rfc6265bis else { return false }
    return old.isSecure && old.name.hasSameBytes(as: new.name)
      && (DomainMatch.matches(host: old.domain, domain: new.domain)
        || DomainMatch.matches(host: new.domain, domain: old.domain))
      && PathMatch.matches(request: new.path, cookie: old.path)
  }

  /// Whether an expired `Secure` cookie is protected from being overlaid.
  var expiredBlocksOverlay = false

  /// Whether an `HttpOnly` cookie is protected from scripts.
  var protectsHTTPOnly = true

  /// Whether two cookies have the same identity.
  var hasSameIdentity: @Sendable (Cookie, Cookie, CookiePolicy) -> Bool = { one, other, policy in
    one.name.hasSameBytes(as: other.name) && one.path.hasSameBytes(as: other.path)
      && one.domain == other.domain
      && (one.isHostOnly == other.isHostOnly || !policy.isHostOnlyPartOfIdentity)
  }

  /// Copies fields of the replaced cookie to the new one.
  var inheritFromReplaced: @Sendable (inout Cookie, _ old: Cookie) -> Void = {
    $0.creation = $1.creation
  }

  /// Whether a cookie that replaces another keeps its position in the order of creation.
  var keepsPosition = true

  /// Whether a line replaces the cookie with its own host-only flag rather than the first twin.
  var prefersOwnTwin = true

  /// The times that ``creation`` gets as the latest creation.
  var latestCreation = LatestCreation.ofPresent

  /// The times among which the latest creation is found.
  enum LatestCreation {
    /// The creations of the cookies in the store.
    case ofPresent
    /// Also those of removed cookies.
    case ofRemovedToo
    /// The times at which cookies were stored, replacing others included.
    case ofReplacingToo
  }

  /// The creation of a new cookie, given the latest creation in the store.
  var creation: @Sendable (_ now: Date, _ latest: Date?) -> Date = { max($0, $1 ?? $0) }

  /// Changes the result of storing a line.
  var storeResult: @Sendable (CookieChange?) -> CookieChange? = { $0 }

  // MARK: Expiry and eviction

  /// Whether a cookie has expired.
  var hasExpired: @Sendable (Cookie, Date) -> Bool = { cookie, now in
    cookie.expires.map { $0 <= now } ?? false
  }

  /// Whether lookups and the list return expired cookies.
  var returnsExpired = false

  /// Whether storing a cookie removes expired ones.
  var removesExpiredOnStore = true

  /// How many times expired cookies are removed.
  var expiryWaves = Int.max

  /// Whether a line that has already expired deletes the cookie of its identity.
  var deletesOnExpiredLine = true

  /// Changes the number of expired cookies that the store reports as removed.
  var expiredCount: @Sendable (Int) -> Int = { $0 }

  /// Whether a cookie that replaces another evicts cookies above the limits.
  var replacingEvicts = false

  /// Whether restored cookies evict others above the limits.
  var restoringEvicts = true

  /// Whether a cookie is evicted before another of its domain; the earlier creation breaks ties.
  var evictsFirstFromDomain: @Sendable (Cookie, Cookie) -> Bool = {
    $0.isSecure == $1.isSecure ? $0.lastAccess < $1.lastAccess : !$0.isSecure
  }

  /// Whether a cookie is evicted before another of any domain; the earlier creation breaks ties.
  var evictsFirstFromStore: @Sendable (Cookie, Cookie) -> Bool = { $0.lastAccess < $1.lastAccess }

  // MARK: Sending and listing

  /// Whether a request carries a cookie.
  var sends: @Sendable (Cookie, CookieRequest, CookiePolicy) -> Bool = { $2.sends($0, with: $1) }

  /// Whether a cookie precedes another in a header; the earlier creation breaks ties.
  var precedesInHeader: @Sendable (Cookie, Cookie) -> Bool = {
    $0.path.utf8.count > $1.path.utf8.count
  }

  /// Changes the cookies that a request carries.
  var sent: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Whether sending a cookie updates its last access.
  var updatesLastAccess = true

  /// Whether listing a cookie updates its last access.
  var listingUpdatesLastAccess = false

  /// Changes the list of all cookies.
  var listed: @Sendable (inout [Cookie]) -> Void = { _ in }

  // MARK: Deleting

  /// Whether deleting an identity removes a cookie.
  var isDeleted: @Sendable (Cookie, Cookie.ID) -> Bool = { $0.id == $1 }

  /// Whether deleting a domain removes a cookie.
  var isUnder: @Sendable (Cookie, _ domain: String) -> Bool = {
    CookieScope($1)?.contains($0) ?? false
  }

  /// Whether clearing the store removes a cookie.
  var isCleared: @Sendable (Cookie) -> Bool = { _ in true }

  /// Whether ending the session removes a cookie.
  var endsWithSession: @Sendable (Cookie) -> Bool = { $0.expires == nil }

  // MARK: Restoring

  /// Changes the cookies to restore, after validation.
  var restored: @Sendable (inout [Cookie], Date) -> Void = { _, _ in }

  /// Whether restoring cookies removes expired ones.
  var removesExpiredOnRestore = true

  /// Whether the valid cookies are restored if one is invalid.
  var restoresPartially = false

  /// Whether invalid cookies are restored.
  var restoresUnchecked = false

  // MARK: Changes

  /// Changes what the store reports of one operation.
  var publishedChanges: @Sendable ([CookieChange]) -> [CookieChange] = { $0 }

  /// Whether every subscriber receives changes, or only the first.
  var publishesToAll = true

  // MARK: Persistence

  /// Whether cookies are kept in a file in the setup's directory.
  var isPersistent = false

  /// Changes the cookies that are written to the file.
  var saved: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Changes the cookies when the store is flushed.
  var flushed: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Whether each operation writes the file, or only a flush.
  var writesImmediately = true

  /// Whether each operation reads the file, or only the first.
  var rereadsFile = true

  /// Whether a flush fails while another one is in progress.
  var flushesOneAtATime = false

  /// The permissions of the file.
  var fileMode = 0o600

  /// Whether an operation locks the file from reading to writing.
  var locksFile = true
}

// MARK: - Flaws that several saboteurs share

extension CookieStoreFlaws {
  /// Changes a cookie and a request before the policy decides whether to send the cookie.
  mutating func changeBeforeMatching(
    _ change: @escaping @Sendable (inout Cookie, inout CookieRequest) -> Void
  ) {
    sends = { cookie, request, policy in
      var cookie = cookie
      var request = request
      change(&cookie, &request)
      return policy.sends(cookie, with: request)
    }
  }

  /// Admits lines that the policy rejects for one reason, as if `change` had been applied before.
  mutating func admit(
    rejectedAs reason: CookieRejection,
    where isIncluded: @escaping @Sendable (ReceivedLine) -> Bool = { _ in true },
    _ change: @escaping @Sendable (inout String, inout CookieRequest, inout CookiePolicy) -> Void
  ) {
    admitRejected = { rejection, received in
      guard rejection == reason, isIncluded(received) else { return nil }
      return received.cookie(change)
    }
  }

  /// Stores a cookie for the `Domain` that it names, although the policy rejects that domain.
  mutating func admitDomain(
    rejectedAs reason: CookieRejection,
    where isIncluded: @escaping @Sendable (_ host: String, _ domain: String) -> Bool
  ) {
    admitRejected = { rejection, received in
      guard rejection == reason, let cookie = received.cookieForNamedDomain(),
        isIncluded(received.request.host, cookie.domain)
      else { return nil }
      return cookie
    }
  }

  /// Orders cookies by the clock's time when they were set, even if the clock goes backwards.
  mutating func orderByClockOnly() {
    creation = { now, _ in now }
    precedesInHeader = {
      $0.path.utf8.count == $1.path.utf8.count
        ? $0.creation < $1.creation : $0.path.utf8.count > $1.path.utf8.count
    }
    listed = { $0.sort { $0.creation < $1.creation } }
  }
}
