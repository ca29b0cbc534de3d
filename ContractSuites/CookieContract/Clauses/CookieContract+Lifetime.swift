import ContractTesting
import CookiePort
import Foundation
import Testing

private let day: TimeInterval = 86_400
private let longest = 400 * day

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var lifetime: [Clause<CookieStoreFixture>] {
    Clause(
      "max-age-first", "Max-Age overrides Expires in either order",
      from: "RFC 6265bis §5.7, 6"
    ) { fixture in
      let later = httpDate(fixture.now + day)
      let past = httpDate(fixture.now - day)
      for line in [
        "a=1; Max-Age=3600; Expires=\(later)", "a=1; Expires=\(later); Max-Age=3600",
        "a=1; Max-Age=3600; Expires=\(past)", "a=1; Expires=\(past); Max-Age=3600",
      ] {
        let cookie = try await fixture.set(line)
        checkExpiry(of: cookie, near: fixture.now + 3600, line)
      }
      try await fixture.setExpired("a=2; Max-Age=0; Expires=\(later)")
      try await fixture.expectAll([])
    }
    Clause(
      "max-age-deletes", "a Max-Age of zero or less deletes the cookie",
      from: "RFC 6265bis §5.6.2"
    ) { fixture in
      for age in ["0", "-1", "000", "-0", "-99999999999999999999999999"] {
        let old = try await fixture.set("a=1")
        let change = try await fixture.setExpired("a=2; Max-Age=\(age)")
        checkEqual(change, .removed(old, .expired), "the result of Max-Age=\(age)")
        try await fixture.expectAll([])
        let again = try await fixture.setExpired("a=3; Max-Age=\(age)")
        checkEqual(again, nil, "the result of Max-Age=\(age) without a cookie to delete")
        try await fixture.expectAll([])
      }
      try await fixture.set("a=1; Max-Age=1")
    }
    Clause(
      "max-age-exactly", "a cookie expires after as many seconds as its Max-Age",
      from: "RFC 6265bis §5.6.2", requires: .controllableClock
    ) { fixture in
      for age in [1, 2, 60, 86_400] {
        let cookie = try await fixture.set("a=1; Max-Age=\(age)")
        checkEqual(cookie.expires, fixture.now + Double(age), "the expiry of Max-Age=\(age)")
      }
    }
    Clause(
      "bad-max-age", "a Max-Age that is no integer is ignored and doesn't override an earlier one",
      from: "RFC 6265bis §5.6.2"
    ) { fixture in
      for age in [
        "", "abc", "1.5", "+60", "6 0", "60s", "-", "--1", "- 1", "0x10", "1e3", "\"60\"", "٦٠",
        "6/", "6:", "/6", ":6",
      ] {
        let cookie = try await fixture.set("a=1; Max-Age=\(age)")
        checkEqual(cookie.expires, nil, "the expiry of Max-Age=\(age)")
        let dated = try await fixture.set(
          "b=1; Expires=\(httpDate(fixture.now + 7200)); Max-Age=\(age)")
        checkExpiry(of: dated, near: fixture.now + 7200, "Expires with Max-Age=\(age)")
        let aged = try await fixture.set("c=1; Max-Age=3600; Max-Age=\(age)")
        checkExpiry(of: aged, near: fixture.now + 3600, "Max-Age=3600 before Max-Age=\(age)")
      }
      let bare = try await fixture.set("d=1; Max-Age")
      checkEqual(bare.expires, nil, "the expiry of a bare Max-Age")
    }
    Clause(
      "huge-max-age", "a Max-Age with any number of digits is valid", from: "RFC 6265bis §5.6.2"
    ) { fixture in
      for age in [
        "2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551616",
        String(repeating: "9", count: 1000),
      ] {
        let cookie = try await fixture.set("a=1; Max-Age=\(age)")
        let expires = cookie.expires
        check(
          expires.map { $0 > fixture.now + 300 * day } == true,
          "Max-Age=\(describe(age)): expected an expiry in more than 300 days, got \(describe(expires))"
        )
      }
    }
    Clause(
      "longest-life", "no cookie expires later than in 400 days", from: "RFC 6265bis §5.5"
    ) { fixture in
      for (days, kept) in [(399.0, 399.0), (401, 400), (36_500, 400)] {
        let age = try await fixture.set("a=1; Max-Age=\(Int(days * day))")
        checkExpiry(of: age, near: fixture.now + kept * day, "a Max-Age of \(days) days")
        let dated = try await fixture.set("b=1; Expires=\(httpDate(fixture.now + days * day))")
        checkExpiry(of: dated, near: fixture.now + kept * day, "an Expires in \(days) days")
      }
    }
    Clause(
      "longest-life-exactly", "the limit is exactly 400 days, for Max-Age and Expires",
      from: "RFC 6265bis §5.5", requires: .controllableClock
    ) { fixture in
      for (offset, kept) in [(-1.0, longest - 1), (0, longest), (1, longest)] {
        let age = try await fixture.set("a=1; Max-Age=\(Int(longest + offset))")
        checkEqual(age.expires, fixture.now + kept, "the expiry of Max-Age=400 d \(offset) s")
        let dated = try await fixture.set(
          "b=1; Expires=\(httpDate(fixture.now + longest + offset))")
        checkEqual(dated.expires, fixture.now + kept, "the expiry of Expires=400 d \(offset) s")
      }
    }
    Clause(
      "longest-life-rfc6265", "RFC 6265 doesn't limit lifetimes", from: "RFC 6265 §5.3, 3",
      requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      let age = try await older.set("a=1; Max-Age=\(Int(500 * day))")
      checkExpiry(of: age, near: fixture.now + 500 * day, "a Max-Age of 500 days")
      let dated = try await older.set("b=1; Expires=\(httpDate(fixture.now + 9000 * day))")
      checkExpiry(of: dated, near: fixture.now + 9000 * day, "an Expires in 9000 days")
    }
    Clause(
      "last-year", "no cookie expires after the year 9999", from: "this project",
      requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      let end = Date(timeIntervalSince1970: 253_402_300_799)
      let age = try await older.set("a=1; Max-Age=999999999999")
      checkEqual(age.expires, end, "the expiry of Max-Age=999999999999")
      let dated = try await older.set("b=1; Expires=31 Dec 9999 23:59:59")
      checkEqual(dated.expires, end, "the expiry of the last second of 9999")
    }
    Clause(
      "session-cookie", "a cookie with neither Max-Age nor Expires has no expiry",
      from: "RFC 6265bis §5.7, 6"
    ) { fixture in
      let cookie = try await fixture.set("a=1; Path=/; Secure")
      checkEqual(cookie.expires, nil, "the expiry of a cookie without one")
      try await fixture.expect("a=1")
      let kept = try await fixture.set("b=1; Max-Age=60")
      check(kept.expires != nil, "Max-Age=60: expected an expiry, got a session cookie")
    }
    Clause(
      "session-outlasts", "a session cookie doesn't expire with time",
      from: "RFC 6265bis §5.7, 6", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1")
      fixture.clock.advance(by: 500 * day)
      try await fixture.expect("a=1")
    }
    Clause(
      "expired-hidden", "an expired cookie is never returned", from: "RFC 6265bis §5.7",
      requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1; Max-Age=60")
      try await fixture.set("b=1; Max-Age=120")
      try await fixture.expect("a=1; b=1")
      fixture.clock.advance(by: 90)
      try await fixture.expect("b=1")
      try await fixture.expectAll(["b=1"])
      let isDeleted = try await fixture.store.delete(Cookie.ID(name: "a", domain: "example.com"))
      checkEqual(isDeleted, false, "the result of deleting an expired cookie")
    }
    Clause(
      "expired-evicted", "expired cookies are removed when the next cookie is stored",
      from: "RFC 6265bis §5.7", requires: .controllableClock
    ) { fixture in
      let old = try await fixture.set("a=1; Max-Age=60")
      fixture.clock.advance(by: 60)
      let changes = fixture.store.changes()
      let new = try await fixture.set("b=1; Max-Age=600", at: "https://example.org/")
      let reported = await changes.upTo(new)
      checkEqual(
        reported, [.removed(old, .expired), .stored(new, replacing: nil)], "the reported changes")
      fixture.clock.advance(by: -30)
      try await fixture.expectAll(["b=1"])
    }
    Clause(
      "expired-anew", "a cookie that is stored over an expired one is new, and replaces nothing",
      from: "RFC 6265bis §5.7", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1; Max-Age=60")
      try await fixture.set("b=1")
      fixture.clock.advance(by: 60)
      let change = try await fixture.store.store("a=2", from: CookieRequest("https://example.com/"))
      let new = try #require(try await fixture.store.all().last)
      checkEqual(new.creation, fixture.now, "the creation")
      checkEqual(change, .stored(new, replacing: nil), "the result")
      try await fixture.expect("b=1; a=2")
    }
    Clause(
      "expired-in-waves", "cookies that expire one after the other are removed one after the other",
      from: "RFC 6265bis §5.7", requires: .controllableClock
    ) { fixture in
      for (name, age) in [("c", 180), ("a", 60), ("d", 240), ("b", 120)] {
        try await fixture.set("\(name)=1; Max-Age=\(age)")
      }
      fixture.clock.advance(by: 60)
      checkEqual(try await fixture.store.removeExpired(), 1, "the count of the first wave")
      fixture.clock.advance(by: 60)
      checkEqual(try await fixture.store.removeExpired(), 1, "the count of the second wave")
      fixture.clock.advance(by: 60)
      let changes = fixture.store.changes()
      let third = try await fixture.set("e=1")
      let reported = await changes.upTo(third)
      checkEqual(
        reported.compactMap(\.removed?.name), ["c"], "the cookies removed with the third wave")
      try await fixture.expectAll(["d=1", "e=1"])
    }
    Clause(
      "expired-overwrite",
      "a cookie that has expired on arrival deletes the one of the same identity",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      let past = httpDate(fixture.now - day)
      let kept = try await fixture.set("a=1; Path=/docs")
      try await fixture.set("a=1")
      try await fixture.setExpired("a=; Expires=\(past)")
      checkEqual(try await fixture.store.all().map(\.path), ["/docs"], "the paths left")
      let change = try await fixture.setExpired("b=1; Expires=\(past)")
      checkEqual(change, nil, "the result of an expired cookie without one to delete")
      try await fixture.expect("a=1", at: "https://example.com/docs")
      let last = try await fixture.setExpired("a=9; Path=/docs; Expires=\(past)")
      checkEqual(last?.removed?.id, kept.id, "the cookie removed")
      try await fixture.expectAll([])
    }
    Clause(
      "expiry-instant",
      "a cookie is returned until just before its expiry and has expired at that instant",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let expiry = fixture.now + 60
      try await fixture.set("a=1; Max-Age=60")
      fixture.clock.now = expiry - 0.001
      try await fixture.expect("a=1")
      checkEqual(try await fixture.store.removeExpired(), 0, "the count before the expiry")
      fixture.clock.now = expiry
      try await fixture.expectAll([])
      try await fixture.expect(nil)
      checkEqual(try await fixture.store.removeExpired(), 1, "the count at the expiry")
      let again = try await fixture.setExpired("b=1; Expires=\(httpDate(fixture.now))")
      checkEqual(again, nil, "the result of a cookie that expires now")
    }
    Clause(
      "clock-backwards",
      "cookies keep the order in which they were set when the clock goes backwards",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let first = try await fixture.set("a=1")
      fixture.clock.advance(by: -3600)
      let second = try await fixture.set("b=1")
      fixture.clock.advance(by: -3600)
      try await fixture.set("c=1", at: "https://example.com/docs/")
      try await fixture.expectAllInOrder(["a=1", "b=1", "c=1"])
      try await fixture.expectOrder("a=1; b=1")
      check(
        second.creation >= first.creation,
        "the second cookie's creation is \(describe(second.creation)), before the first's")
      try await fixture.set("a=2")
      try await fixture.expectOrder("a=2; b=1")
    }
    Clause(
      "clock-back-between",
      "a cookie set after the clock went back to between two creations follows both",
      from: "this project", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1")
      fixture.clock.advance(by: 10)
      let latest = try await fixture.set("b=1")
      fixture.clock.advance(by: -5)
      let next = try await fixture.set("c=1")
      checkEqual(next.creation, latest.creation, "the creation after the clock went back by 5 s")
      try await fixture.expectOrder("a=1; b=1; c=1")
      fixture.clock.advance(by: 20)
      let gone = try await fixture.set("d=1")
      try await fixture.store.delete(gone.id)
      fixture.clock.advance(by: -18)
      let last = try await fixture.set("e=1")
      checkEqual(last.creation, latest.creation, "the creation after a later cookie's deletion")
    }
    Clause(
      "clock-back-after-removal",
      "a new cookie's creation is the clock's time if the cookies with later creations are gone",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let latest = Cookie.ID(name: "b", domain: "example.com")
      let removals: [(String, (CookieStoreFixture) async throws -> Void)] = [
        ("its deletion", { try await $0.store.delete(latest) }),
        ("an expired line", { try await $0.setExpired("b=; Max-Age=0") }),
        ("its expiry", { $0.clock.advance(by: 10) }),
        ("clearing", { try await $0.store.clear() }),
      ]
      for (cause, remove) in removals {
        try await fixture.store.clear()
        try await fixture.set("a=1")
        fixture.clock.advance(by: 100)
        try await fixture.set("b=1; Max-Age=5")
        try await remove(fixture)
        try await fixture.store.removeExpired()
        fixture.clock.advance(by: -50)
        let next = try await fixture.set("c=1")
        checkEqual(next.creation, fixture.now, "the creation after \(cause) of the latest cookie")
      }
    }
    Clause(
      "clock-back-after-restore",
      "restoring an older cookie doesn't let new ones precede those that are there",
      from: "this project", requires: .controllableClock
    ) { fixture in
      let latest = try await fixture.set("a=1")
      try await fixture.store.restore([
        Cookie(name: "b", value: "1", domain: "example.com", creation: fixture.now - 100)
      ])
      fixture.clock.advance(by: -50)
      let next = try await fixture.set("c=1")
      checkEqual(next.creation, latest.creation, "the creation after the clock went back by 50 s")
      try await fixture.expectOrder("b=1; a=1; c=1")
    }
    Clause(
      "clock-back-after-overwrite",
      "replacing a cookie doesn't delay the creation of later ones when the clock goes backwards",
      from: "this project", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1")
      fixture.clock.advance(by: 100)
      try await fixture.set("a=2")
      fixture.clock.advance(by: -50)
      let next = try await fixture.set("b=1")
      checkEqual(next.creation, fixture.now, "the creation after 'a' was replaced at a later time")
      try await fixture.expectOrder("a=2; b=1")
    }
  }
}

extension CookieChange {
  /// The removed cookie, or `nil`.
  var removed: Cookie? { if case .removed(let cookie, _) = self { cookie } else { nil } }
}
