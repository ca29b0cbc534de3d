import ContractTesting
import CookiePort
import Foundation
import SystemLocks
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var identity: [Saboteur] {
    Saboteur(
      "joined-key", "runs path and name together in its key", caughtBy: "identity",
      saying: "the store lists"
    ) {
      try await .flawed(in: $0) {
        $0.isSame = { one, other, _ in
          one.domain == other.domain && one.isHostOnly == other.isHostOnly
            && one.path + one.name == other.path + other.name
        }
      }
    }
    Saboteur("name-and-domain", "leaves the path out of its key", caughtBy: "identity") {
      try await .flawed(in: $0) {
        $0.isSame = { one, other, _ in one.domain == other.domain && one.name == other.name }
      }
    }
    Saboteur(
      "twins-are-one", "leaves the host-only flag out of its key", caughtBy: "host-only-twin"
    ) {
      try await .flawed(in: $0) {
        $0.isSame = { one, other, _ in
          var other = other
          other.isHostOnly = one.isHostOnly
          return one.id == other.id
        }
      }
    }
    Saboteur(
      "twins-always", "keeps host-only twins apart in RFC 6265 too",
      caughtBy: "host-only-twin-rfc6265"
    ) {
      try await .flawed(in: $0) { $0.isSame = { one, other, _ in one.id == other.id } }
    }
    Saboteur(
      "creation-renewed", "gives a cookie that is set again a new creation",
      caughtBy: "overwrite-creation", saying: "the creation of a cookie set again"
    ) {
      try await .flawed(in: $0) { $0.replacing = { _, _ in } }
    }
    Saboteur(
      "place-renewed", "puts a cookie that is set again behind others of its creation",
      caughtBy: "overwrite-creation", "earlier-first", saying: "in this order"
    ) {
      try await .flawed(in: $0) { $0.keepsPlace = false }
    }
    Saboteur(
      "expiry-inherited", "lets a session cookie inherit the expiry of the one it replaces",
      caughtBy: "overwrite-fields", saying: "the expiry is"
    ) {
      try await .flawed(in: $0) {
        $0.replacing = { new, old in
          new.creation = old.creation
          new.expires = new.expires ?? old.expires
        }
      }
    }
    Saboteur(
      "secure-inherited", "lets a cookie inherit Secure from the one it replaces",
      caughtBy: "overwrite-fields", saying: "isSecure"
    ) {
      try await .flawed(in: $0) {
        $0.replacing = { new, old in
          new.creation = old.creation
          new.isSecure = new.isSecure || old.isSecure
        }
      }
    }
    Saboteur(
      "whole-seconds", "keeps creations to the second", caughtBy: "creation-time",
      saying: "the creation is"
    ) {
      try await .flawed(in: $0) {
        $0.creation = { now, _ in
          Date(timeIntervalSinceReferenceDate: now.timeIntervalSinceReferenceDate.rounded(.down))
        }
      }
    }
    Saboteur(
      "creation-order-only", "orders cookies by creation alone", caughtBy: "longest-path-first",
      saying: "in this order"
    ) {
      try await .flawed(in: $0) { $0.leads = { _, _ in false } }
    }
    Saboteur(
      "by-name", "orders cookies of one path by name", caughtBy: "earlier-first",
      saying: "in this order"
    ) {
      try await .flawed(in: $0) {
        $0.leads = {
          $0.path.utf8.count == $1.path.utf8.count
            ? $0.name < $1.name : $0.path.utf8.count > $1.path.utf8.count
        }
      }
    }
    Saboteur("name-case-ignored", "takes names of either case for one", caughtBy: "name-case") {
      try await .flawed(in: $0) {
        let sound = $0.isSame
        $0.isSame = { one, other, policy in
          var other = other
          if one.name.lowercased() == other.name.lowercased() { other.name = one.name }
          return sound(one, other, policy)
        }
      }
    }
    Saboteur(
      "canonical-names", "takes canonically equivalent names for one", caughtBy: "octets"
    ) {
      try await .flawed(in: $0) {
        let sound = $0.isSame
        $0.isSame = { one, other, policy in
          var other = other
          if one.name == other.name { other.name = one.name }
          return sound(one, other, policy)
        }
      }
    }
    Saboteur("canonical-paths", "takes canonically equivalent paths for one", caughtBy: "octets") {
      try await .flawed(in: $0) {
        let sound = $0.isSame
        $0.isSame = { one, other, policy in
          var other = other
          if one.path == other.path { other.path = one.path }
          return sound(one, other, policy)
        }
      }
    }
    Saboteur(
      "canonical-deletion", "deletes every canonically equivalent name", caughtBy: "octets"
    ) {
      try await .flawed(in: $0) {
        $0.deleted = { $0.name == $1.name && $0.domain == $1.domain && $0.path == $1.path }
      }
    }
    Saboteur(
      "never-used", "doesn't note that a cookie was sent", caughtBy: "last-access",
      "least-recently-used"
    ) {
      try await .flawed(in: $0) { $0.touches = false }
    }
    Saboteur(
      "used-by-listing", "notes a use of each cookie that it lists",
      caughtBy: "listing-is-no-access", "last-access"
    ) {
      try await .flawed(in: $0) { $0.touchesOnListing = true }
    }
    Saboteur(
      "equals-kept", "sends an equals sign before a nameless value", caughtBy: "nameless-header",
      saying: "carries '=token'"
    ) {
      try await .flawed(in: $0) {
        $0.sent = { cookies in
          for index in cookies.indices where cookies[index].name.isEmpty {
            cookies[index].value = "=" + cookies[index].value
          }
        }
      }
    }
    Saboteur(
      "two-at-most", "sends two cookies at most", caughtBy: "header",
      saying: "expected 'a=1; b=2; c=3'"
    ) {
      try await .flawed(in: $0) { $0.sent = { $0 = Array($0.prefix(2)) } }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var limits: [Saboteur] {
    Saboteur(
      "forty-nine", "keeps 49 cookies of a domain", caughtBy: "fifty-per-domain"
    ) {
      try await .flawed(in: $0) { $0.policy = { $0.limits.perDomain = 49 } }
    }
    Saboteur(
      "three-hundred", "keeps 300 cookies, as user agents once did", caughtBy: "three-thousand",
      saying: "the number of cookies kept of 3,000"
    ) {
      try await .flawed(in: $0) { $0.policy = { $0.limits.total = 300 } }
    }
    Saboteur(
      "one-more-per-domain", "lets a domain have a cookie too many", caughtBy: "domain-limit",
      "changes-evicted"
    ) {
      try await .flawed(in: $0) { $0.policy = { $0.limits.perDomain += 1 } }
    }
    Saboteur("one-more-in-all", "keeps a cookie too many in all", caughtBy: "total-limit") {
      try await .flawed(in: $0) { $0.policy = { $0.limits.total += 1 } }
    }
    Saboteur(
      "secure-stays", "spares Secure cookies when there are too many in all",
      caughtBy: "total-limit"
    ) {
      try await .flawed(in: $0) { $0.goesFirstOfAll = $0.goesFirst }
    }
    Saboteur(
      "secure-goes", "doesn't spare Secure cookies of a crowded domain", caughtBy: "eviction-order"
    ) {
      try await .flawed(in: $0) { $0.goesFirst = $0.goesFirstOfAll }
    }
    Saboteur(
      "oldest-goes", "evicts by creation instead of use", caughtBy: "least-recently-used"
    ) {
      try await .flawed(in: $0) {
        $0.goesFirst = { $0.creation < $1.creation }
        $0.goesFirstOfAll = { $0.creation < $1.creation }
      }
    }
    Saboteur(
      "latest-goes", "evicts the latest among cookies used at one time",
      caughtBy: "least-recently-used"
    ) {
      try await .flawed(in: $0) {
        $0.goesFirst = {
          $0.lastAccess == $1.lastAccess ? $0.name > $1.name : $0.lastAccess < $1.lastAccess
        }
      }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var store: [Saboteur] {
    Saboteur("lists-by-name", "lists cookies by name", caughtBy: "list-all", saying: "the list is")
    {
      try await .flawed(in: $0) { $0.listed = { $0.sort { $0.name < $1.name } } }
    }
    Saboteur(
      "list-hides-http-only", "leaves HttpOnly cookies out of the list", caughtBy: "list-all",
      "clear"
    ) {
      try await .flawed(in: $0) {
        $0.listed = { $0.removeAll { $0.isHTTPOnly } }
        $0.isCleared = { !$0.isHTTPOnly }
        $0.sends = { cookie, request, _ in cookie.domain == request.host || cookie.isHTTPOnly }
      }
    }
    Saboteur(
      "list-forgets-same-site", "lists cookies without their SameSite", caughtBy: "list-all",
      saying: "SameSite in the list"
    ) {
      try await .flawed(in: $0) {
        $0.listed = { for index in $0.indices { $0[index].sameSite = .unspecified } }
      }
    }
    Saboteur(
      "answers-nothing-replaced", "doesn't say which cookie was replaced", caughtBy: "answer",
      saying: "the answer to a cookie set again"
    ) {
      try await .flawed(in: $0) {
        $0.answer = {
          if case .stored(let cookie, _)? = $0 { .stored(cookie, replacing: nil) } else { $0 }
        }
      }
    }
    Saboteur(
      "one-at-a-time", "lets other calls in between reading and writing", caughtBy: "at-once",
      saying: "the number of cookies replaced"
    ) {
      try await .flawed(in: $0, isKept: true) { $0.locksFile = false }
    }
    Saboteur(
      "deletes-by-name", "deletes every cookie of the name and domain", caughtBy: "delete"
    ) {
      try await .flawed(in: $0) {
        $0.deleted = { $0.name == $1.name && $0.domain == $1.domain }
      }
    }
    Saboteur(
      "deletes-twins", "deletes a host-only cookie with its twin", caughtBy: "delete",
      saying: "the store lists"
    ) {
      try await .flawed(in: $0) {
        $0.deleted = {
          var cookie = $0
          cookie.isHostOnly = $1.isHostOnly
          return cookie.id == $1
        }
      }
    }
    Saboteur("clears-by-script", "leaves HttpOnly cookies when clearing", caughtBy: "clear") {
      try await .flawed(in: $0) { $0.isCleared = { !$0.isHTTPOnly } }
    }
    Saboteur(
      "miscounts", "counts one cookie of several removed", caughtBy: "remove-expired",
      saying: "the count after the expiry is 1"
    ) {
      try await .flawed(in: $0) { $0.count = { min($0, 1) } }
    }
    Saboteur(
      "as-of-last-use", "keeps what had not expired when a cookie was last used",
      caughtBy: "remove-expired-late", saying: "the count after a use of another is 0"
    ) {
      try await .flawed(in: $0, isKept: true) {
        $0.saved = { cookies in
          let lastUse = cookies.map(\.lastAccess).max() ?? .distantPast
          cookies.removeAll { $0.expires.map { $0 <= lastUse } ?? false }
        }
      }
    }
    Saboteur(
      "secure-sessions-stay", "keeps Secure session cookies beyond the session",
      caughtBy: "end-session", saying: "the store lists"
    ) {
      try await .flawed(in: $0) { $0.endsWithSession = { $0.expires == nil && !$0.isSecure } }
    }
    Saboteur(
      "flush-ends-session", "drops session cookies when flushed", caughtBy: "flush",
      saying: "the list after flushing"
    ) {
      try await .flawed(in: $0) { $0.flushed = { $0.removeAll { $0.expires == nil } } }
    }
    Saboteur(
      "restored-is-used", "counts restoring as a use", caughtBy: "restore", "restore-replaces"
    ) {
      try await .flawed(in: $0) {
        $0.restored = { cookies, now in
          for index in cookies.indices { cookies[index].lastAccess = now }
        }
      }
    }
    Saboteur(
      "restored-is-new", "gives restored cookies a new creation", caughtBy: "restore",
      "restore-replaces", "changes-restored"
    ) {
      try await .flawed(in: $0) {
        $0.restored = { cookies, now in
          for index in cookies.indices { cookies[index].creation = now }
        }
      }
    }
    Saboteur(
      "restored-host-only", "restores domain cookies as host-only", caughtBy: "restore"
    ) {
      try await .flawed(in: $0) {
        $0.restored = { cookies, _ in
          for index in cookies.indices { cookies[index].isHostOnly = true }
        }
      }
    }
    Saboteur(
      "restores-the-future", "restores a creation in the future", caughtBy: "restore-dates",
      saying: "a creation in the future"
    ) {
      try await .flawed(in: $0) {
        $0.restored = { cookies, now in
          for index in cookies.indices where cookies[index].lastAccess == now {
            cookies[index].creation = now + 86_400
          }
        }
      }
    }
    Saboteur(
      "restores-in-part", "restores those that are sound", caughtBy: "restore-all-or-none",
      saying: "the store lists"
    ) {
      try await .flawed(in: $0) { $0.restoresInPart = true }
    }
    Saboteur(
      "restores-anything", "restores without looking", caughtBy: "restore-all-or-none",
      saying: "got it in"
    ) {
      try await .flawed(in: $0) { $0.restoresAnything = true }
    }
    Saboteur(
      "refused-quietly", "drops a cookie for another domain without an error",
      caughtBy: "rejection", "domain-foreign"
    ) {
      try await .flawed(in: $0) {
        $0.pardon = { rejection, arrival in
          guard rejection == .domainMismatch else { return nil }
          return arrival.admitted { line, _, _ in
            line.rewrite("Domain") { _ in nil }
            line = "gone" + line + "; Max-Age=0"
          }
        }
      }
    }
    Saboteur("one-reader", "tells the first reader alone", caughtBy: "changes") {
      try await .flawed(in: $0) { $0.tellsAll = false }
    }
    Saboteur(
      "session-deleted", "calls the end of the session a deletion", caughtBy: "changes",
      saying: "the cause told for the end of session"
    ) {
      try await .flawed(in: $0) {
        $0.told = {
          $0.map {
            if case .removed(let cookie, .sessionEnded) = $0 {
              .removed(cookie, .deleted)
            } else {
              $0
            }
          }
        }
      }
    }
    Saboteur(
      "tells-nothing-replaced", "doesn't tell which cookie was replaced", caughtBy: "changes",
      "changes-restored"
    ) {
      try await .flawed(in: $0) {
        $0.told = {
          $0.map {
            if case .stored(let cookie, _) = $0 { .stored(cookie, replacing: nil) } else { $0 }
          }
        }
      }
    }
    Saboteur("told-backwards", "tells the eviction before its cause", caughtBy: "changes-evicted") {
      try await .flawed(in: $0) { $0.told = { $0.reversed() } }
    }
    Saboteur(
      "expiry-untold", "doesn't tell of cookies that expired", caughtBy: "changes-expired",
      "expired-evicted", timeLimit: .seconds(30)
    ) {
      try await .flawed(in: $0) {
        $0.told = {
          $0.filter { if case .removed(_, .expired) = $0 { false } else { true } }
        }
      }
    }
    Saboteur(
      "modest", "claims too little: it does all that it says it can't",
      caughtBy:
        "lacks-controllable-clock", "lacks-configurable-policy", "lacks-persistence",
      "lacks-several-handles", "lacks-crash-survival"
    ) {
      try await .flawed(in: $0, isKept: true) { _ in }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var persistence: [Saboteur] {
    Saboteur(
      "saves-insecure", "forgets Secure in the file", caughtBy: "survives-reopen",
      saying: "the list after reopening"
    ) {
      try await .flawed(in: $0, isKept: true) {
        $0.readsAgain = false
        $0.saved = { for index in $0.indices { $0[index].isSecure = false } }
      }
    }
    Saboteur(
      "saves-seconds", "keeps whole seconds in the file", caughtBy: "survives-reopen",
      saying: "the list after reopening"
    ) {
      try await .flawed(in: $0, isKept: true) {
        $0.readsAgain = false
        $0.saved = {
          for index in $0.indices {
            let time = $0[index].creation.timeIntervalSinceReferenceDate.rounded()
            $0[index].creation = Date(timeIntervalSinceReferenceDate: time)
          }
        }
      }
    }
    Saboteur(
      "saves-by-name", "keeps no order in the file", caughtBy: "survives-reopen", "reopened-order"
    ) {
      try await .flawed(in: $0, isKept: true) {
        $0.readsAgain = false
        $0.saved = { $0.sort { $0.name < $1.name } }
      }
    }
    Saboteur(
      "saves-no-session", "keeps no session cookies in the file",
      caughtBy: "reopened-session", saying: "the store lists [\"b=1\"]"
    ) {
      try await .flawed(in: $0, isKept: true) {
        $0.readsAgain = false
        $0.saved = { $0.removeAll { $0.expires == nil } }
      }
    }
    Saboteur(
      "clock-alone-kept", "goes by the clock alone after reopening", caughtBy: "reopened-order"
    ) {
      try await .flawed(in: $0, isKept: true) { $0.goByClockAlone() }
    }
    Saboteur(
      "undead", "never takes a cookie out of the file", caughtBy: "reopened-deletions",
      "crash-survival"
    ) {
      try await .flawed(in: $0, isKept: true) {
        let seen = Memory<[Cookie.ID: Cookie]>()
        $0.readsAgain = false
        $0.saved = { cookies in
          let all = seen.update([:]) { seen in
            for cookie in cookies { seen[cookie.id] = cookie }
          }
          cookies = all.values.sorted { $0.name < $1.name }
        }
      }
    }
    Saboteur(
      "readable-file", "lets everybody read the file", caughtBy: "private-files",
      saying: "cookies.json has mode 644 after a write"
    ) {
      try await .flawed(in: $0, isKept: true) { $0.fileMode = 0o644 }
    }
    Saboteur(
      "saves-when-flushed", "writes the file when it is flushed and not before",
      caughtBy: "crash-survival", saying: "the store lists []"
    ) {
      try await .flawed(in: $0, isKept: true) {
        $0.savesAtOnce = false
        $0.readsAgain = false
      }
    }
    Saboteur(
      "reads-once", "reads the file when it is opened and never again",
      caughtBy: "several-handles", "no-lost-writes"
    ) {
      try await .flawed(in: $0, isKept: true) { $0.readsAgain = false }
    }
    Saboteur(
      "unlocked", "reads and writes the file without a lock", caughtBy: "no-lost-writes",
      saying: "written by two handles"
    ) {
      try await .flawed(in: $0, isKept: true) { $0.locksFile = false }
    }
  }
}

/// Something that a flaw remembers between its uses.
private final class Memory<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Changes what is remembered, and gives it back.
  func update(_ initial: Value, _ change: (inout Value) -> Void) -> Value {
    value.withLock { value in
      var kept = value ?? initial
      change(&kept)
      value = kept
      return kept
    }
  }
}
