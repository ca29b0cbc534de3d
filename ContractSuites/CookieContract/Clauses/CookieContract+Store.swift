import ContractTesting
import CookiePort
import Foundation
import Testing

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var store: [Clause<CookieStoreFixture>] {
    Clause(
      "list-all", "every cookie is listed with every field, earliest first",
      from: "this project"
    ) { fixture in
      let stored = [
        try await fixture.set("z=1; Secure; HttpOnly; SameSite=Strict; Max-Age=600; Path=/docs"),
        try await fixture.set("a=2; Domain=example.org", at: "https://api.example.org/"),
        try await fixture.set("m=3", at: "http://example.net/web/page"),
        try await fixture.set("b=4; SameSite=Lax"),
        try await fixture.set("c=5; SameSite=None; Secure"),
      ]
      let listed = try await fixture.store.all()
      checkEqual(listed, stored, "the list")
      checkEqual(
        listed.map(\.isHostOnly), [true, false, true, true, true], "isHostOnly in the list")
      checkEqual(
        listed.map(\.isSecure), [true, false, false, false, true], "isSecure in the list")
      checkEqual(
        listed.map(\.isHTTPOnly), [true, false, false, false, false], "isHTTPOnly in the list")
      checkEqual(
        listed.map(\.sameSite), [.strict, .unspecified, .unspecified, .lax, .none],
        "SameSite in the list")
      checkEqual(listed.map(\.path), ["/docs", "/", "/web", "/", "/"], "the paths in the list")
      checkEqual(
        listed.map(\.domain),
        ["example.com", "example.org", "example.net", "example.com", "example.com"],
        "the domains in the list")
    }
    Clause(
      "answer", "storing returns the cookie stored and the one replaced",
      from: "this project"
    ) { fixture in
      let request = try CookieRequest(CookieStoreFixture.origin)
      let first = try await fixture.store.store("a=1", from: request)
      let one = try await fixture.listed("a")
      checkEqual(first, .stored(one, replacing: nil), "the result of a new cookie")
      let second = try await fixture.store.store("a=2; Path=/", from: request)
      let two = try await fixture.listed("a")
      checkEqual(second, .stored(two, replacing: one), "the result of replacing a cookie")
    }
    Clause(
      "at-once", "concurrent calls have the results of some sequential order",
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
      checkEqual(
        replaced.count, tasks * lines - 1,
        "the number of cookies replaced by \(tasks * lines) of one identity")
      let last = try await fixture.listed("a")
      checkEqual(
        replaced.contains(last.value), false, "whether the remaining cookie was replaced")
      let deletions = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<tasks { group.addTask { try await store.delete(last.id) } }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      checkEqual(deletions, 1, "the number of tasks that deleted one cookie")
    }
    Clause(
      "delete", "deleting by identity removes that cookie only, and returns whether it existed",
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
        checkEqual(try await delete(absent), false, "the result of deleting \(absent)")
      }
      try await fixture.expectAll(["a=1", "a=2", "a=3", "b=4"])
      let wide = Cookie.ID(name: "a", domain: "example.com", isHostOnly: false)
      checkEqual(try await delete(wide), true, "the result of deleting \(wide)")
      try await fixture.expectAll(["a=1", "a=3", "b=4"])
      checkEqual(try await delete(wide), false, "the result of deleting it again")
    }
    Clause(
      "delete-under", "the cookies of a domain and its subdomains are listed and deleted together",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Secure; HttpOnly; Max-Age=600")
      try await fixture.set("b=1; Domain=example.com; Path=/docs")
      try await fixture.set("c=1", at: "https://v2.api.example.com/")
      for url in ["https://badexample.com/", "https://example.com.org/", "https://192.0.2.1/"] {
        try await fixture.set("o=1", at: url)
      }
      try await fixture.set("u=1", at: "https://bücher.example/")
      let store = fixture.store
      for (domain, names) in [
        ("example.com", ["a", "b", "c"]), (".EXAMPLE.com", ["a", "b", "c"]),
        ("api.example.com", ["c"]), ("BÜCHER.example", ["u"]), ("192.0.2.1", ["o"]), ("2.1", []),
        ("no host", []), ("", []),
      ] {
        let listed = try await store.all(under: domain)
        checkEqual(listed.map(\.name).sorted(), names, "the cookies under '\(domain)'")
      }
      checkEqual(
        try await store.deleteAll(under: "no host"), 0, "the count of a text that is no host")
      checkEqual(
        try await store.deleteAll(under: ".Example.COM"), 3, "the count of cookies deleted")
      checkEqual(try await store.deleteAll(under: "example.com"), 0, "the count the second time")
      checkEqual(try await store.deleteAll(under: "bücher.example"), 1, "the count of a U-label")
      try await fixture.expectAll(["o=1", "o=1", "o=1"])
    }
    Clause(
      "delete-under-expired", "an expired cookie is not deleted with its domain, nor counted",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let gone = try await fixture.set("a=1; Max-Age=60")
      let kept = try await fixture.set("b=1")
      fixture.clock.advance(by: 60)
      let reported = try await fixture.changes {
        checkEqual(
          try await fixture.store.deleteAll(under: "example.com"), 1, "the count of cookies deleted"
        )
        try await fixture.store.removeExpired()
      }
      checkEqual(
        reported, [.removed(kept, .deleted), .removed(gone, .expired)], "the changes reported")
    }
    Clause(
      "changes-deleted-under", "each cookie deleted with its domain is reported",
      from: "this project"
    ) { fixture in
      let one = try await fixture.set("a=1")
      let two = try await fixture.set("b=1", at: "https://api.example.com/")
      try await fixture.set("c=1", at: "https://example.org/")
      let reported = try await fixture.changes {
        try await fixture.store.deleteAll(under: "example.com")
      }
      checkEqual(
        Set(reported), [.removed(one, .deleted), .removed(two, .deleted)],
        "the changes reported for a deleted domain, in any order,")
    }
    Clause(
      "changes-cleared", "each cookie removed by clearing is reported", from: "this project"
    ) { fixture in
      let cookies = [
        try await fixture.set("a=1"), try await fixture.set("a=1; Domain=example.com"),
        try await fixture.set("a=1", at: "https://example.org/"),
      ]
      let reported = try await fixture.changes { try await fixture.store.clear() }
      checkEqual(
        Set(reported), Set(cookies.map { .removed($0, .deleted) }),
        "the changes reported for a cleared store, in any order,")
    }
    Clause(
      "changes-used", "a change shows when the cookie was last used", from: "this project",
      requires: .controllableClock
    ) { fixture in
      let store = fixture.store
      let removals: [(String, () async throws -> Void)] = [
        ("deleting", { try await store.delete(Cookie.ID(name: "a", domain: "example.com")) }),
        ("an expired line", { try await fixture.setExpired("a=; Max-Age=0") }),
        ("clearing", { try await store.clear() }),
      ]
      for (cause, remove) in removals {
        try await fixture.set("a=1")
        fixture.clock.advance(by: 5)
        try await fixture.expect("a=1")
        let used = fixture.now
        fixture.clock.advance(by: 5)
        let reported = try await fixture.changes(reportedBy: remove)
        checkEqual(
          reported.first?.removed?.lastAccess, used,
          "the last access of the cookie removed by \(cause)")
        try await store.clear()
      }
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
      "remove-expired", "removing expired cookies removes only these and returns their number",
      from: "this project", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1; Max-Age=60")
      try await fixture.set("b=1; Max-Age=120", at: "https://example.org/")
      try await fixture.set("c=1; Max-Age=60; Path=/docs")
      try await fixture.set("d=1")
      checkEqual(try await fixture.store.removeExpired(), 0, "the count before the expiry")
      fixture.clock.advance(by: 60)
      checkEqual(try await fixture.store.removeExpired(), 2, "the count after the expiry")
      checkEqual(try await fixture.store.removeExpired(), 0, "the count the second time")
      fixture.clock.advance(by: -60)
      try await fixture.expectAll(["b=1", "d=1"])
    }
    Clause(
      "remove-expired-late",
      "an expired cookie is counted and reported even if a lookup came before its removal",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let gone = try await fixture.set("a=1; Max-Age=60")
      try await fixture.set("b=1")
      fixture.clock.advance(by: 60)
      try await fixture.expect("b=1")
      let reported = try await fixture.changes {
        checkEqual(
          try await fixture.store.removeExpired(), 1, "the count after sending another cookie")
      }
      checkEqual(
        reported, [.removed(gone, .expired)], "the changes reported after sending another cookie")
    }
    Clause(
      "end-session", "ending the session removes session cookies only",
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
      checkEqual(try await fixture.store.all(), before, "the list after flushing")
    }
    Clause(
      "restore", "restored cookies have all their fields and are ordered by creation",
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
      let prefixed = Cookie(
        name: "__Host-h", value: "1", domain: "example.org", isSecure: true, creation: now - 80_000)
      try await fixture.set("b=1")
      try await fixture.store.restore([old, nameless, twin, prefixed])
      let listed = try await fixture.store.all()
      checkEqual(
        Array(listed.prefix(4)), [nameless, old, twin, prefixed], "the list's first four")
      checkEqual(listed.map(\.name), ["", "a", "s", "__Host-h", "b"], "the names in the list")
      try await fixture.expect("s=", at: "http://example.org/", by: .script)
      try await fixture.expect("a=1; b=1", at: "https://example.com/docs")
      try await fixture.expect("a=1", at: "https://api.example.com/docs")
    }
    Clause(
      "restore-rfc6265", "in RFC 6265 a restored cookie needs a name, and no value",
      from: "RFC 6265 §5.2", requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      let now = fixture.now
      let nameless = Cookie(name: "", value: "1", domain: "example.com", creation: now)
      do {
        try await older.store.restore([nameless])
        Issue.record("restoring \(describe(nameless)): expected it rejected, got no error")
      } catch let error as CookieStoreError {
        checkEqual(error, .rejected(.missingName), "the error of restoring \(describe(nameless))")
      }
      try await older.store.restore([
        Cookie(name: "a", value: "", domain: "example.com", creation: now)
      ])
      try await older.expectAll(["a="])
    }
    Clause(
      "restore-replaces",
      "a restored cookie replaces the one of the same identity, including its creation",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1")
      try await fixture.set("b=1")
      let again = Cookie(
        name: "b", value: "2", domain: "example.com", creation: fixture.now - 60)
      try await fixture.store.restore([again])
      checkEqual(try await fixture.listed("b"), again, "the cookie restored")
      try await fixture.expectOrder("b=2; a=1")
    }
    Clause(
      "restore-dates",
      "out-of-range dates of restored cookies are clamped, and expired cookies are skipped",
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
      checkEqual(future.creation, now, "a creation in the future")
      checkEqual(future.lastAccess, now, "a last access in the future")
      checkEqual(
        try await fixture.listed("long").expires, now + 400 * day, "an expiry in 401 days")
      try await fixture.expectAllInOrder(["late=1", "future=1", "long=1"])
    }
    Clause(
      "restore-expired",
      "restoring removes and reports expired cookies, and restored ones expire as others do",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let kept = try await fixture.set("a=1")
      let gone = try await fixture.set("b=1; Max-Age=60")
      fixture.clock.advance(by: 60)
      let reported = try await fixture.changes {
        try await fixture.store.restore([kept, gone])
        checkEqual(try await fixture.store.removeExpired(), 0, "the count after restoring")
      }
      checkEqual(
        reported, [.removed(gone, .expired), .stored(kept, replacing: kept)],
        "the changes reported by restoring")
      // The clock may have gone back since a cookie was created.
      var later = try await fixture.set("d=1; Max-Age=60")
      later.creation += 600
      try await fixture.store.restore([later])
      fixture.clock.advance(by: 60)
      checkEqual(
        try await fixture.store.removeExpired(), 1, "the count when a restored cookie has expired")
    }
    Clause(
      "restore-all-or-none", "if one of the cookies is invalid, none is restored",
      from: "this project"
    ) { fixture in
      try await fixture.expectAllOrNone()
    }
    Clause(
      "rejection",
      "rejecting a cookie throws a typed reason, changes nothing and reports no change",
      from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Secure")
      try await fixture.set("h=1; HttpOnly")
      let before = try await fixture.store.all()
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
      let reported = try await fixture.changes {
        for (line, url, caller, reason) in lines {
          do {
            try await fixture.store.store(line, from: try fixture.request(url, by: caller))
            Issue.record(
              "\(describe(line)): expected it rejected as \(reason.rawValue), got no error")
          } catch let error as CookieStoreError {
            checkEqual(error, .rejected(reason), "the error of \(describe(line))")
          }
        }
        checkEqual(try await fixture.store.all(), before, "the list after rejections")
      }
      checkEqual(reported, [], "the changes reported after rejections")
    }
    Clause(
      "changes", "every subscriber receives every change, in order", from: "this project"
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
        let reported = await stream.upTo(last)
        checkEqual(Array(reported.prefix(5)), expected, "the first changes reported")
        checkEqual(
          reported.dropFirst(5).first.flatMap(\.cause), .sessionEnded,
          "the reported cause of the session's end")
        checkEqual(
          Array(reported.dropFirst(6)),
          [
            .stored(kept, replacing: nil), .removed(kept, .deleted), .stored(last, replacing: nil),
          ], "the last changes reported")
      }
      let quiet = store.changes()
      let late = try await fixture.set("d=1")
      let first = await quiet.upTo(late)
      checkEqual(
        first, [.stored(late, replacing: nil)], "the first change that a later subscriber receives")
    }
    Clause(
      "changes-restored", "a restored cookie is reported as stored", from: "this project"
    ) { fixture in
      let old = try await fixture.set("a=1")
      let cookie = Cookie(
        name: "a", value: "2", domain: "example.com", creation: fixture.now - 60)
      let reported = try await fixture.changes { try await fixture.store.restore([cookie]) }
      checkEqual(
        reported, [.stored(cookie, replacing: old)], "the changes reported for a restored cookie")
    }
    Clause(
      "changes-evicted", "an eviction is reported after the cookie that caused it",
      from: "this project", requires: .configurablePolicy
    ) { fixture in
      let store = try await fixture.opening(CookiePolicy(limits: .init(perDomain: 1, total: 10)))
      let old = try await store.set("a=1")
      let reported = try await store.changes { try await store.set("b=1") }
      let new = try await store.listed("b")
      checkEqual(
        reported, [.stored(new, replacing: nil), .removed(old, .evicted)],
        "the changes reported for an eviction")
    }
    Clause(
      "changes-expired", "each expired cookie is reported when it is removed", from: "this project",
      requires: .controllableClock
    ) { fixture in
      let one = try await fixture.set("a=1; Max-Age=60")
      let two = try await fixture.set("b=1; Max-Age=30")
      fixture.clock.advance(by: 60)
      let reported = try await fixture.changes { try await fixture.store.removeExpired() }
      checkEqual(
        reported, [.removed(one, .expired), .removed(two, .expired)],
        "the changes reported for expired cookies")
    }
    Absence(
      of: .controllableClock, "the store reads the system clock", from: "this project"
    ) { fixture in
      try await fixture.set("a=1; Expires=\(httpDate(fixture.now + 86_400))")
      fixture.clock.advance(by: 2 * 86_400)
      let left = try await fixture.store.all().count
      checkEqual(left, 1, "the number of cookies after the fixture's clock advanced by two days")
    }
    Absence(
      of: .configurablePolicy, "the store applies its own limits", from: "this project"
    ) { fixture in
      let store = try await fixture.opening(CookiePolicy(limits: .init(perDomain: 1, total: 1)))
      try await store.set("a=1")
      try await store.set("b=1")
      let left = try await store.store.all().count
      checkEqual(left, 2, "the number of cookies with a limit of one")
    }
  }
}

extension CookieStoreFixture {
  /// Checks that an invalid cookie isn't restored, nor a valid one in the same call.
  fileprivate func expectAllOrNone() async throws {
    let now = now
    let valid = Cookie(name: "a", value: "1", domain: "example.com", creation: now)
    func with(_ change: (inout Cookie) -> Void) -> Cookie {
      var cookie = valid
      cookie.name = "b"
      change(&cookie)
      return cookie
    }
    try await set("keep=1")
    let invalid: [(Cookie, CookieRejection)] = [
      (with { $0.value = "1\n2" }, .controlCharacter),
      (with { $0.name = "b\0" }, .controlCharacter),
      (with { $0.name = "b=c" }, .notRestorable), (with { $0.value = "1;2" }, .notRestorable),
      (with { $0.value = " 1" }, .notRestorable), (with { $0.value = "1\t" }, .notRestorable),
      (with { $0.expires = Date(timeIntervalSince1970: .nan) }, .notRestorable),
      (with { $0.expires = Date(timeIntervalSince1970: 253_402_300_800) }, .notRestorable),
      (with { $0.creation = .distantPast - 1 }, .notRestorable),
      (with { $0.lastAccess = Date(timeIntervalSince1970: .infinity) }, .notRestorable),
      (with { $0.domain = "EXAMPLE.com" }, .notRestorable),
      (with { $0.domain = ".example.com" }, .notRestorable),
      (with { $0.domain = "" }, .notRestorable),
      (with { $0.domain = ".localhost" }, .notRestorable),
      (with { $0.domain = "1.2.3" }, .notRestorable),
      (with { $0.domain = String(repeating: "a", count: 254) }, .notRestorable),
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
    for (cookie, reason) in invalid {
      do {
        try await store.restore([valid, cookie])
        Issue.record(
          "restoring \(describe(cookie)): expected it rejected as \(reason.rawValue), got no error")
      } catch {
        checkEqual(error, .rejected(reason), "the error of restoring \(describe(cookie))")
      }
      try await expectAll(["keep=1"])
    }
  }
}

extension CookieChange {
  /// Why the cookie was removed, or `nil`.
  fileprivate var cause: Cause? { if case .removed(_, let cause) = self { cause } else { nil } }
}
