import ContractTesting
import CookiePort
import Foundation
import Testing

extension ClauseGroup<CookieStoreFixture> {
  static let store = ClauseGroup("Keeping and listing") {
    Clause(
      "list-all", "every cookie is listed with every field, the earliest first",
      from: "this project"
    ) { fixture in
      let stored = [
        try await fixture.set("z=1; Secure; HttpOnly; SameSite=Strict; Max-Age=600; Path=/docs"),
        try await fixture.set("a=2; Domain=example.org", at: "https://api.example.org/"),
        try await fixture.set("m=3", at: "http://example.net/web/page"),
      ]
      let listed = try await fixture.store.all()
      expectEqual(listed, stored, "the list")
      expectEqual(listed.map(\.isHostOnly), [true, false, true], "isHostOnly in the list")
      expectEqual(listed.map(\.isSecure), [true, false, false], "isSecure in the list")
      expectEqual(listed.map(\.isHTTPOnly), [true, false, false], "isHTTPOnly in the list")
      expectEqual(
        listed.map(\.sameSite), [.strict, .unspecified, .unspecified], "SameSite in the list")
      expectEqual(listed.map(\.path), ["/docs", "/", "/web"], "the paths in the list")
      expectEqual(
        listed.map(\.domain), ["example.com", "example.org", "example.net"],
        "the domains in the list")
    }
    Clause(
      "answer", "the answer to a cookie is the cookie stored and the one replaced",
      from: "this project"
    ) { fixture in
      let request = try CookieRequest(CookieStoreFixture.origin)
      let first = try await fixture.store.store("a=1", from: request)
      let one = try await fixture.listed("a")
      expectEqual(first, .stored(one, replacing: nil), "the answer to a new cookie")
      let second = try await fixture.store.store("a=2; Path=/", from: request)
      let two = try await fixture.listed("a")
      expectEqual(second, .stored(two, replacing: one), "the answer to a cookie set again")
    }
    Clause(
      "at-once", "calls of several tasks at once answer as if one came after the other",
      from: "this project"
    ) { fixture in
      let (tasks, lines) = (8, 25)
      let store = fixture.store
      let request = try CookieRequest(CookieStoreFixture.origin)
      let changes = try await withThrowingTaskGroup(of: [CookieChange?].self) { group in
        for task in 0..<tasks {
          group.addTask {
            var changes: [CookieChange?] = []
            for line in 0..<lines {
              changes.append(try await store.store("a=\(task).\(line)", from: request))
            }
            return changes
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      var replaced: Set<String> = []
      for case .stored(_, let old?)? in changes { replaced.insert(old.value) }
      expectEqual(
        replaced.count, tasks * lines - 1,
        "the number of cookies replaced by \(tasks * lines) of one identity")
      let last = try await fixture.listed("a")
      expectEqual(
        replaced.contains(last.value), false, "whether the cookie that is left was replaced")
      let deletions = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<tasks { group.addTask { try await store.delete(last.id) } }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      expectEqual(deletions, 1, "the number of tasks that deleted one cookie")
    }
    Clause(
      "delete", "deleting by identity removes that cookie alone, and says whether it was there",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1")
      try await fixture.set("a=2; Domain=example.com")
      try await fixture.set("a=3; Path=/docs")
      try await fixture.set("b=4")
      let store = fixture.store
      func delete(_ id: Cookie.ID) async throws -> Bool { try await store.delete(id) }
      for absent in [
        Cookie.ID(name: "A", domain: "example.com"), Cookie.ID(name: "a", domain: "example.org"),
        Cookie.ID(name: "a", domain: "api.example.com"),
        Cookie.ID(name: "a", domain: "example.com", path: "/docs/"),
      ] {
        expectEqual(try await delete(absent), false, "the answer to deleting \(absent)")
      }
      try await fixture.expectAll(["a=1", "a=2", "a=3", "b=4"])
      let wide = Cookie.ID(name: "a", domain: "example.com", isHostOnly: false)
      expectEqual(try await delete(wide), true, "the answer to deleting \(wide)")
      try await fixture.expectAll(["a=1", "a=3", "b=4"])
      expectEqual(try await delete(wide), false, "the answer to deleting it again")
    }
    Clause("clear", "clearing removes every cookie", from: "this project") { fixture in
      try await fixture.set("a=1; Secure; HttpOnly; Path=/docs; Max-Age=60")
      try await fixture.set("b=1", at: "https://example.org/")
      try await fixture.store.clear()
      try await fixture.expectAll([])
      try await fixture.expect(nil, at: "https://example.org/")
      try await fixture.set("c=1")
      try await fixture.expectAll(["c=1"])
    }
    Clause(
      "remove-expired", "removing the expired removes them alone and counts them",
      from: "this project", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1; Max-Age=60")
      try await fixture.set("b=1; Max-Age=120", at: "https://example.org/")
      try await fixture.set("c=1; Max-Age=60; Path=/docs")
      try await fixture.set("d=1")
      expectEqual(try await fixture.store.removeExpired(), 0, "the count before the expiry")
      fixture.clock.advance(by: 60)
      expectEqual(try await fixture.store.removeExpired(), 2, "the count after the expiry")
      expectEqual(try await fixture.store.removeExpired(), 0, "the count the second time")
      fixture.clock.advance(by: -60)
      try await fixture.expectAll(["b=1", "d=1"])
    }
    Clause(
      "remove-expired-late",
      "an expired cookie is counted and told even where a lookup came before its removal",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let gone = try await fixture.set("a=1; Max-Age=60")
      try await fixture.set("b=1")
      fixture.clock.advance(by: 60)
      try await fixture.expect("b=1")
      let changes = fixture.store.changes()
      expectEqual(try await fixture.store.removeExpired(), 1, "the count after a use of another")
      let last = try await fixture.set("c=1")
      let told = await changes.upTo(last)
      expectEqual(
        told, [.removed(gone, .expired), .stored(last, replacing: nil)],
        "what is told after a use of another")
    }
    Clause(
      "end-session", "the end of the session removes session cookies alone",
      from: "RFC 6265bis §5.7"
    ) { fixture in
      try await fixture.set("a=1")
      try await fixture.set("b=1; Max-Age=3600")
      try await fixture.set("c=1; Expires=\(httpDate(fixture.now + 3600))")
      try await fixture.set("d=1; Secure; Path=/docs", at: "https://example.org/")
      try await fixture.store.endSession()
      try await fixture.expectAll(["b=1", "c=1"])
      try await fixture.expect("b=1; c=1")
    }
    Clause("flush", "flushing changes nothing", from: "this project") { fixture in
      try await fixture.store.flush()
      try await fixture.set("a=1")
      try await fixture.set("b=1; Max-Age=60")
      let before = try await fixture.store.all()
      try await fixture.store.flush()
      try await fixture.store.flush()
      expectEqual(try await fixture.store.all(), before, "the list after flushing")
    }
    Clause(
      "restore", "restored cookies come back as they were, in the order of their creation",
      from: "this project"
    ) { fixture in
      let now = fixture.now
      let old = Cookie(
        name: "a", value: "1", domain: "example.com", isHostOnly: false, path: "/docs",
        expires: now + 3600, isSecure: true, isHTTPOnly: true, sameSite: .strict,
        creation: now - 86_400, lastAccess: now - 60)
      let nameless = Cookie(
        name: "", value: "é=1", domain: "192.0.2.1", creation: now - 90_000, lastAccess: now - 50)
      let twin = Cookie(name: "s", value: "", domain: "example.org", creation: now - 86_400)
      try await fixture.set("b=1")
      try await fixture.store.restore([old, nameless, twin])
      let listed = try await fixture.store.all()
      expectEqual(Array(listed.prefix(3)), [nameless, old, twin], "the list's first three")
      expectEqual(listed.map(\.name), ["", "a", "s", "b"], "the names in the list")
      try await fixture.expect("a=1; b=1", at: "https://example.com/docs")
      try await fixture.expect("a=1", at: "https://api.example.com/docs")
    }
    Clause(
      "restore-replaces", "a restored cookie replaces the one of its identity, creation and all",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1")
      try await fixture.set("b=1")
      let again = Cookie(
        name: "b", value: "2", domain: "example.com", creation: fixture.now - 60)
      try await fixture.store.restore([again])
      expectEqual(try await fixture.listed("b"), again, "the cookie restored")
      try await fixture.expectOrder("b=2; a=1")
    }
    Clause(
      "restore-dates",
      "a restored date that can't be is brought within bounds, and expired cookies are left out",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let now = fixture.now
      let day: TimeInterval = 86_400
      try await fixture.store.restore([
        Cookie(
          name: "future", value: "1", domain: "example.com", creation: now + day,
          lastAccess: now + 2 * day),
        Cookie(
          name: "long", value: "1", domain: "example.com", expires: now + 401 * day, creation: now),
        Cookie(name: "gone", value: "1", domain: "example.com", expires: now, creation: now - day),
        Cookie(
          name: "late", value: "1", domain: "example.com", expires: now + 1, creation: now - day),
      ])
      let future = try await fixture.listed("future")
      expectEqual(future.creation, now, "a creation in the future")
      expectEqual(future.lastAccess, now, "a last access in the future")
      expectEqual(
        try await fixture.listed("long").expires, now + 400 * day, "an expiry in 401 days")
      try await fixture.expectAllInOrder(["late=1", "future=1", "long=1"])
    }
    Clause(
      "restore-all-or-none", "where no line could make one of the cookies, none is restored",
      from: "this project"
    ) { fixture in
      try await fixture.expectAllOrNone()
    }
    Clause(
      "rejection", "a refused cookie gets a typed reason, and changes and tells nothing",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Secure")
      try await fixture.set("h=1; HttpOnly")
      let before = try await fixture.store.all()
      let changes = fixture.store.changes()
      let plain = "http://example.com/"
      let lines: [(String, String, Caller, CookieRejection)] = [
        ("a=2\u{1}", CookieStoreFixture.origin, .http, .controlCharacter),
        ("", CookieStoreFixture.origin, .http, .emptyNameAndValue),
        ("a=2; Domain=example.org", CookieStoreFixture.origin, .http, .domainMismatch),
        ("a=2; Domain=com", CookieStoreFixture.origin, .http, .publicSuffix),
        ("a=2", plain, .http, .overlaysSecure),
        ("a=2; Secure", plain, .http, .insecureOrigin),
        ("h=2", CookieStoreFixture.origin, .script, .overwritesHTTPOnly),
        ("h=2; HttpOnly", CookieStoreFixture.origin, .script, .httpOnlyFromScript),
        ("a=2", CookieStoreFixture.origin, .crossSite, .crossSite),
        ("a=2; SameSite=None", CookieStoreFixture.origin, .http, .sameSiteNoneNeedsSecure),
      ]
      for (line, url, caller, reason) in lines {
        do {
          try await fixture.store.store(line, from: try fixture.request(url, by: caller))
          Issue.record("\(shown(line)): expected it refused as \(reason.rawValue), got no error")
        } catch let error as CookieStoreError {
          expectEqual(error, .rejected(reason), "the error of \(shown(line))")
        }
      }
      expectEqual(try await fixture.store.all(), before, "the list after refusals")
      let last = try await fixture.set("last=1")
      let told = await changes.upTo(last)
      expectEqual(told, [.stored(last, replacing: nil)], "the changes told after refusals")
    }
    Clause(
      "changes", "every change is told to every reader, in order", from: "this project"
    ) { fixture in
      let store = fixture.store
      try await fixture.set("before=1")
      let streams = [store.changes(), store.changes()]
      let one = try await fixture.set("a=1")
      let two = try await fixture.set("a=2")
      let other = try await fixture.set("b=1; Max-Age=3600")
      try await fixture.setExpired("a=; Max-Age=0")
      try await store.delete(other.id)
      try await store.endSession()
      let kept = try await fixture.set("c=1; Max-Age=3600")
      try await store.clear()
      let last = try await fixture.set("last=1")
      let expected: [CookieChange] = [
        .stored(one, replacing: nil), .stored(two, replacing: one), .stored(other, replacing: nil),
        .removed(two, .expired), .removed(other, .deleted),
      ]
      for stream in streams {
        let told = await stream.upTo(last)
        expectEqual(Array(told.prefix(5)), expected, "what was told first")
        expectEqual(
          told.dropFirst(5).first.flatMap(\.cause), .sessionEnded,
          "the cause told for the end of session")
        expectEqual(
          Array(told.dropFirst(6)),
          [
            .stored(kept, replacing: nil), .removed(kept, .deleted), .stored(last, replacing: nil),
          ], "what was told last")
      }
      let quiet = store.changes()
      let late = try await fixture.set("d=1")
      let first = await quiet.upTo(late)
      expectEqual(first, [.stored(late, replacing: nil)], "what a later reader is told first")
    }
    Clause(
      "changes-restored", "a restored cookie is told as stored", from: "this project"
    ) { fixture in
      let old = try await fixture.set("a=1")
      let changes = fixture.store.changes()
      let cookie = Cookie(
        name: "a", value: "2", domain: "example.com", creation: fixture.now - 60)
      try await fixture.store.restore([cookie])
      let last = try await fixture.set("b=1")
      let told = await changes.upTo(last)
      expectEqual(
        told, [.stored(cookie, replacing: old), .stored(last, replacing: nil)],
        "what is told of a restored cookie")
    }
    Clause(
      "changes-evicted", "an evicted cookie is told after the one that took its place",
      from: "this project", requires: .configurablePolicy
    ) { fixture in
      let store = try await fixture.opening(CookiePolicy(limits: .init(perDomain: 1, total: 10)))
      let old = try await store.set("a=1")
      let changes = store.store.changes()
      let new = try await store.set("b=1")
      let last = try await store.set("c=1", at: "https://example.org/")
      let told = await changes.upTo(last)
      expectEqual(
        told,
        [
          .stored(new, replacing: nil), .removed(old, .evicted), .stored(last, replacing: nil),
        ], "what is told of eviction")
    }
    Clause(
      "changes-expired", "each expired cookie is told when it is removed", from: "this project",
      requires: .controllableClock
    ) { fixture in
      let one = try await fixture.set("a=1; Max-Age=60")
      let two = try await fixture.set("b=1; Max-Age=30")
      fixture.clock.advance(by: 60)
      let changes = fixture.store.changes()
      try await fixture.store.removeExpired()
      let last = try await fixture.set("c=1")
      let told = await changes.upTo(last)
      expectEqual(
        told,
        [.removed(one, .expired), .removed(two, .expired), .stored(last, replacing: nil)],
        "what is told of the expired")
    }
    Absence(
      of: .controllableClock, "the store goes by the clock of the system", from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Expires=\(httpDate(fixture.now + 86_400))")
      fixture.clock.advance(by: 2 * 86_400)
      let left = try await fixture.store.all().count
      expectEqual(left, 1, "the number of cookies after the fixture's clock went two days ahead")
    }
    Absence(
      of: .configurablePolicy, "the store goes by rules of its own", from: "this project"
    ) { fixture in
      let store = try await fixture.opening(CookiePolicy(limits: .init(perDomain: 1, total: 1)))
      try await store.set("a=1")
      try await store.set("b=1")
      let left = try await store.store.all().count
      expectEqual(left, 2, "the number of cookies where the policy has room for one")
    }
  }
}

extension CookieStoreFixture {
  /// Checks that cookies which no `Set-Cookie` line could make aren't restored, nor others with them.
  fileprivate func expectAllOrNone() async throws {
    let now = now
    let sound = Cookie(name: "a", value: "1", domain: "example.com", creation: now)
    func with(_ change: (inout Cookie) -> Void) -> Cookie {
      var cookie = sound
      cookie.name = "b"
      change(&cookie)
      return cookie
    }
    try await set("keep=1")
    let bad: [(Cookie, CookieRejection)] = [
      (with { $0.value = "1\n2" }, .controlCharacter),
      (with { $0.name = "b\0" }, .controlCharacter),
      (with { $0.name = "b=c" }, .notRestorable), (with { $0.value = "1;2" }, .notRestorable),
      (with { $0.value = " 1" }, .notRestorable),
      (with { $0.domain = "EXAMPLE.com" }, .notRestorable),
      (with { $0.domain = ".example.com" }, .notRestorable),
      (with { $0.domain = "" }, .notRestorable),
      (with { $0.path = "docs" }, .notRestorable), (with { $0.path = "" }, .notRestorable),
      (
        with {
          $0.name = ""
          $0.value = ""
        }, .emptyNameAndValue
      ),
      (with { $0.value = String(repeating: "x", count: 4096) }, .tooLarge),
      (with { $0.name = "__Secure-b" }, .securePrefix),
      (with { $0.sameSite = .none }, .sameSiteNoneNeedsSecure),
    ]
    for (cookie, reason) in bad {
      do {
        try await store.restore([sound, cookie])
        Issue.record(
          "restoring \(shown("\(cookie)")): expected it refused as \(reason.rawValue), got it in")
      } catch {
        expectEqual(error, .rejected(reason), "the error of restoring \(shown("\(cookie)"))")
      }
      try await expectAll(["keep=1"])
    }
  }
}

extension CookieChange {
  /// Why a cookie went away, or `nil`.
  fileprivate var cause: Cause? { if case .removed(_, let cause) = self { cause } else { nil } }
}
