import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var store: [Saboteur] {
    flawed("lists-by-name", "lists cookies by name", caughtBy: "list-all", saying: "the list is") {
      $0.listed = { $0.sort { $0.name < $1.name } }
    }
    flawed(
      "list-hides-http-only", "omits HttpOnly cookies from the list", caughtBy: "list-all",
      "clear"
    ) {
      $0.listed = { $0.removeAll { $0.isHTTPOnly } }
      $0.isCleared = { !$0.isHTTPOnly }
      $0.sends = { cookie, request, _ in cookie.domain == request.host || cookie.isHTTPOnly }
    }
    flawed(
      "list-forgets-same-site", "lists cookies without their SameSite", caughtBy: "list-all",
      saying: "SameSite in the list"
    ) { $0.listed = { for index in $0.indices { $0[index].sameSite = .unspecified } } }
    flawed(
      "answers-nothing-replaced", "doesn't return the replaced cookie", caughtBy: "answer",
      saying: "the result of replacing a cookie"
    ) {
      $0.storeResult = {
        if case .stored(let cookie, _)? = $0 { .stored(cookie, replacing: nil) } else { $0 }
      }
    }
    flawed(
      "one-at-a-time", "doesn't lock the file between reading and writing it", caughtBy: "at-once",
      saying: "the number of cookies replaced"
    ) {
      $0.isPersistent = true
      $0.locksFile = false
    }
    flawed(
      "deletes-by-name", "deletes every cookie of the name and domain", caughtBy: "delete"
    ) { $0.isDeleted = { $0.name == $1.name && $0.domain == $1.domain } }
    flawed(
      "deletes-twins", "deletes a host-only cookie together with its twin", caughtBy: "delete",
      saying: "the store lists"
    ) {
      $0.isDeleted = {
        var cookie = $0
        cookie.isHostOnly = $1.isHostOnly
        return cookie.id == $1
      }
    }
    flawed("clears-by-script", "keeps HttpOnly cookies when it is cleared", caughtBy: "clear") {
      $0.isCleared = { !$0.isHTTPOnly }
    }
    flawed(
      "miscounts", "counts one expired cookie when it removes several", caughtBy: "remove-expired",
      saying: "the count after the expiry is 1"
    ) { $0.expiredCount = { min($0, 1) } }
    flawed(
      "as-of-last-use", "writes only the cookies that had not expired at the latest access",
      caughtBy: "remove-expired-late", saying: "the count after sending another cookie is 0"
    ) {
      $0.isPersistent = true
      $0.saved = { cookies in
        let lastUse = cookies.map(\.lastAccess).max() ?? .distantPast
        cookies.removeAll { $0.expires.map { $0 <= lastUse } ?? false }
      }
    }
    flawed(
      "secure-sessions-stay", "keeps Secure session cookies after the session ends",
      caughtBy: "end-session", saying: "the store lists"
    ) { $0.endsWithSession = { $0.expires == nil && !$0.isSecure } }
    flawed(
      "flush-ends-session", "drops session cookies when it is flushed", caughtBy: "flush",
      saying: "the list after flushing"
    ) { $0.flushed = { $0.removeAll { $0.expires == nil } } }
    flawed(
      "restored-is-used", "counts a restore as an access", caughtBy: "restore", "restore-replaces"
    ) {
      $0.restored = { cookies, now in
        for index in cookies.indices { cookies[index].lastAccess = now }
      }
    }
    flawed(
      "restored-is-new", "gives restored cookies a new creation time", caughtBy: "restore",
      "restore-replaces", "changes-restored"
    ) {
      $0.restored = { cookies, now in
        for index in cookies.indices { cookies[index].creation = now }
      }
    }
    flawed(
      "restored-host-only", "restores domain cookies as host-only", caughtBy: "restore"
    ) {
      $0.restored = { cookies, _ in
        for index in cookies.indices { cookies[index].isHostOnly = true }
      }
    }
    flawed(
      "restores-the-future", "restores a creation time in the future", caughtBy: "restore-dates",
      saying: "a creation in the future"
    ) {
      $0.restored = { cookies, now in
        for index in cookies.indices where cookies[index].lastAccess == now {
          cookies[index].creation = now + 86_400
        }
      }
    }
    flawed(
      "restores-in-part", "restores the valid cookies of a list with an invalid one",
      caughtBy: "restore-all-or-none",
      saying: "the store lists"
    ) { $0.restoresPartially = true }
    flawed(
      "restores-anything", "restores cookies without validating them",
      caughtBy: "restore-all-or-none", "restore-rfc6265"
    ) { $0.restoresUnchecked = true }
    flawed(
      "refused-quietly", "drops a cookie for another domain without throwing",
      caughtBy: "rejection", "domain-foreign"
    ) {
      $0.admitRejected = { rejection, received in
        guard rejection == .domainMismatch else { return nil }
        return received.cookie { line, _, _ in
          line.rewrite("Domain") { _ in nil }
          line = "gone" + line + "; Max-Age=0"
        }
      }
    }
    flawed("one-reader", "sends changes to the first subscriber only", caughtBy: "changes") {
      $0.publishesToAll = false
    }
    flawed(
      "session-deleted", "reports the end of the session as a deletion", caughtBy: "changes",
      saying: "the reported cause of the session's end"
    ) {
      $0.publishedChanges = {
        $0.map {
          if case .removed(let cookie, .sessionEnded) = $0 {
            .removed(cookie, .deleted)
          } else {
            $0
          }
        }
      }
    }
    flawed(
      "tells-nothing-replaced", "reports a change without the replaced cookie", caughtBy: "changes",
      "changes-restored"
    ) {
      $0.publishedChanges = {
        $0.map {
          if case .stored(let cookie, _) = $0 { .stored(cookie, replacing: nil) } else { $0 }
        }
      }
    }
    flawed(
      "told-backwards", "reports an eviction before the change that caused it",
      caughtBy: "changes-evicted"
    ) {
      $0.publishedChanges = { $0.reversed() }
    }
    flawed(
      "expiry-untold", "doesn't report cookies that expired", caughtBy: "changes-expired",
      "expired-evicted", timeLimit: .seconds(30)
    ) {
      $0.publishedChanges = {
        $0.filter { if case .removed(_, .expired) = $0 { false } else { true } }
      }
    }
    flawed(
      "tells-stale-access", "reports removed cookies as they were stored", caughtBy: "changes-used",
      saying: "the last access of the cookie removed by deleting"
    ) {
      $0.publishedChanges = {
        $0.map {
          guard case .removed(var cookie, let cause) = $0 else { return $0 }
          cookie.lastAccess = cookie.creation
          return .removed(cookie, cause)
        }
      }
    }
    flawed(
      "deletions-untold", "doesn't report cookies that were deleted", caughtBy: "changes-cleared",
      "changes-deleted-under"
    ) {
      $0.publishedChanges = {
        $0.filter { if case .removed(_, .deleted) = $0 { false } else { true } }
      }
    }
    flawed(
      "modest", "declares no capabilities although it has all of them",
      caughtBy:
        "lacks-controllable-clock", "lacks-configurable-policy", "lacks-persistence",
      "lacks-several-handles", "lacks-crash-survival"
    ) { $0.isPersistent = true }
    flawed(
      "deletes-one-domain", "deletes a domain's cookies without those of its subdomains",
      caughtBy: "delete-under", "changes-deleted-under"
    ) { $0.isUnder = { $0.domain == $1.drop { $0 == "." }.lowercased() } }
    flawed(
      "deletes-by-ending", "deletes the cookies of each domain that ends like the given one",
      caughtBy: "delete-under", saying: "the count"
    ) { $0.isUnder = { $0.domain.hasSuffix($1.drop { $0 == "." }.lowercased()) } }
  }
}
