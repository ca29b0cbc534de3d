import ContractTesting
import CookiePort
import Foundation
import Testing

private let docs = "https://example.com/docs"

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var identity: [Clause<CookieStoreFixture>] {
    Clause(
      "identity",
      "name, domain and path identify a cookie; a cookie of the same identity replaces it",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      try await fixture.set("a=1")
      try await fixture.set("b=1")
      try await fixture.set("a=2; Path=/docs")
      try await fixture.set("a=3", at: "https://example.org/")
      try await fixture.set("a=4", at: "https://api.example.com/")
      try await fixture.expectAll(["a=1", "b=1", "a=2", "a=3", "a=4"])
      try await fixture.set("a=5; Path=/docs; Secure; HttpOnly; SameSite=Lax; Max-Age=60")
      try await fixture.expectAll(["a=1", "b=1", "a=5", "a=3", "a=4"])
      // A key that concatenates path and name would be equal for these two.
      try await fixture.set("bc=1; Path=/a", at: "https://example.net/")
      try await fixture.set("c=1; Path=/ab", at: "https://example.net/")
      try await fixture.expectAll(["a=1", "b=1", "a=5", "a=3", "a=4", "bc=1", "c=1"])
    }
    Clause(
      "host-only-twin", "a host-only cookie and a domain cookie of the same domain are two cookies",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      try await fixture.set("a=1")
      try await fixture.set("a=2; Domain=example.com")
      try await fixture.expect("a=1; a=2")
      try await fixture.expect("a=2", at: "https://api.example.com/")
      try await fixture.set("a=3")
      try await fixture.expect("a=3; a=2")
      try await fixture.setExpired("a=; Max-Age=0")
      try await fixture.expect("a=2")
    }
    Clause(
      "host-only-twin-rfc6265",
      "in RFC 6265 a host-only cookie and a domain cookie of the same domain are one",
      from: "RFC 6265 §5.3, 11", requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      try await older.set("a=1")
      try await older.set("a=2; Domain=example.com")
      try await older.expectAll(["a=2"])
      try await older.expect("a=2", at: "https://api.example.com/")
      try await older.set("a=3")
      try await older.expect(nil, at: "https://api.example.com/")
      try await older.expect("a=3")
    }
    Clause(
      "reopened-rfc6265",
      "twins survive a change to RFC 6265; a line replaces its own twin, else the other one",
      from: "this project", requires: .configurablePolicy, .persistence
    ) { fixture in
      try await fixture.set("a=1; Max-Age=600")
      try await fixture.set("a=2; Max-Age=600; Domain=example.com")
      let older = try await fixture.reopened(CookiePolicy(profile: .rfc6265))
      try await older.expectAll(["a=1", "a=2"])
      try await older.set("a=3; Max-Age=600; Domain=example.com")
      try await older.expectAll(["a=1", "a=3"])
      try await older.setExpired("a=; Max-Age=0")
      try await older.expectAll(["a=3"])
      try await older.set("a=4; Max-Age=600")
      try await older.expectAll(["a=4"])
    }
    Clause(
      "overwrite-creation", "a cookie that replaces another keeps its creation time and position",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      let first = try await fixture.set("a=1")
      try await fixture.set("b=1")
      fixture.clock.advance(by: 10)
      let second = try await fixture.set("a=2; Secure; HttpOnly; SameSite=Strict; Max-Age=60")
      checkEqual(second.creation, first.creation, "the creation of a replaced cookie")
      checkEqual(try await fixture.listed("a").creation, first.creation, "the creation listed")
      try await fixture.expectOrder("a=2; b=1")
      try await fixture.expectAllInOrder(["a=2", "b=1"])
    }
    Clause(
      "overwrite-fields", "a cookie that replaces another inherits nothing but the creation time",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      try await fixture.set("a=1; Secure; HttpOnly; SameSite=Strict; Max-Age=60")
      let plain = try await fixture.set("a=2")
      checkSameBytes(plain.value, "2", "the value")
      checkEqual(plain.expires, nil, "the expiry")
      checkEqual(plain.isSecure, false, "isSecure")
      checkEqual(plain.isHTTPOnly, false, "isHTTPOnly")
      checkEqual(plain.sameSite, .unspecified, "SameSite")
      checkEqual(try await fixture.listed("a"), plain, "the cookie listed")
    }
    Clause(
      "new-creation", "a cookie set again after its deletion is a new cookie",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      let first = try await fixture.set("a=1")
      try await fixture.set("b=1")
      fixture.clock.advance(by: 10)
      try await fixture.setExpired("a=; Max-Age=0")
      let second = try await fixture.set("a=2")
      check(
        second.creation > first.creation,
        "the new cookie's creation is \(describe(second.creation)), expected one after the deleted cookie's"
      )
      try await fixture.expectOrder("b=1; a=2")
      try await fixture.store.delete(Cookie.ID(name: "b", domain: "example.com"))
      try await fixture.set("b=2")
      try await fixture.expectOrder("a=2; b=2")
    }
    Clause(
      "creation-time", "creation and last access of a new cookie are the current time",
      from: "RFC 6265bis §5.7, 5", requires: .controllableClock
    ) { fixture in
      fixture.clock.advance(by: 0.5)
      let first = try await fixture.set("a=1")
      checkEqual(first.creation, fixture.now, "the creation")
      checkEqual(first.lastAccess, fixture.now, "the last access")
      fixture.clock.advance(by: 5)
      let again = try await fixture.set("a=2")
      checkEqual(again.lastAccess, fixture.now, "the last access of a replaced cookie")
      try await fixture.store.clear()
      let second = try await fixture.set("a=3")
      checkEqual(second.creation, fixture.now, "the creation after the store was cleared")
    }
    Clause(
      "longest-path-first", "cookies with longer paths come first", from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("a=1; Path=/")
      try await fixture.set("b=1; Path=/docs/web")
      try await fixture.set("c=1; Path=/docs")
      try await fixture.set("d=1; Path=/docs/web/")
      try await fixture.set("e=1; Path=/docs; Domain=example.com")
      try await fixture.expectOrder("d=1; b=1; c=1; e=1; a=1", at: docs + "/web/page")
      try await fixture.expectOrder("c=1; e=1; a=1", at: docs)
    }
    Clause(
      "earlier-first",
      "among paths of equal length the earlier cookie comes first, even at the same instant",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      let names = ["m", "c", "z", "a", "q", "b", "y", "d", "x", "e"]
      for (index, name) in names.enumerated() {
        try await fixture.set(
          "\(name)=1; Path=/docs; Domain=example.com",
          at: index % 3 == 0 ? "https://api.example.com/" : "https://example.com/")
      }
      let expected = names.map { "\($0)=1" }
      try await fixture.expectOrder(expected.joined(separator: "; "), at: docs)
      try await fixture.set("h=1; Path=/docs", at: docs)
      try await fixture.set("b=2; Path=/docs; Domain=example.com")
      try await fixture.expectAllInOrder(
        expected.map { $0 == "b=1" ? "b=2" : $0 } + ["h=1"])
      try await fixture.expectOrder(
        expected.map { $0 == "b=1" ? "b=2" : $0 }.joined(separator: "; ") + "; h=1", at: docs)
      for name in names + ["h"] {
        try await fixture.store.delete(
          Cookie.ID(
            name: name, domain: "example.com", isHostOnly: name == "h", path: "/docs"))
        if name == "d" { try await fixture.set("a=3; Path=/docs", at: docs) }
      }
      try await fixture.set("0=1; Path=/docs", at: docs)
      try await fixture.expectOrder("a=3; 0=1", at: docs)
    }
    Clause("name-case", "names are case-sensitive", from: "RFC 6265bis §5.7, 23") { fixture in
      try await fixture.set("sid=1")
      try await fixture.set("SID=2")
      try await fixture.expect("sid=1; SID=2")
      try await fixture.setExpired("Sid=; Max-Age=0")
      try await fixture.expect("sid=1; SID=2")
    }
    Clause(
      "octets", "text is compared by bytes, not by canonical equivalence",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      let one = "\u{E9}"
      let two = "e\u{301}"
      try await fixture.set("\(one)=1")
      try await fixture.set("\(two)=2")
      try await fixture.expect("\(one)=1; \(two)=2")
      try await fixture.set("p=1; Path=/\(one)")
      try await fixture.set("p=2; Path=/\(two)")
      try await fixture.expectAll(["\(one)=1", "\(two)=2", "p=1", "p=2"])
      try await fixture.set("v=\(one)")
      try await fixture.set("v=\(two)")
      checkSameBytes(try await fixture.listed("v").value, two, "the value set last")
      let isDeleted = try await fixture.store.delete(Cookie.ID(name: two, domain: "example.com"))
      checkEqual(isDeleted, true, "the result of deleting 'e' with a combining accent")
      try await fixture.expect("\(one)=1; v=\(two)")
    }
    Clause(
      "last-access", "sending a cookie updates its last access", from: "RFC 6265bis §5.8.3",
      requires: .controllableClock
    ) { fixture in
      let start = fixture.now
      try await fixture.set("a=1; Path=/docs")
      try await fixture.set("b=1; Path=/web")
      fixture.clock.advance(by: 5)
      let sent = try await fixture.store.cookies(for: try CookieRequest(docs))
      checkEqual(sent.map(\.lastAccess), [start + 5], "the last access of the cookie sent")
      checkEqual(
        try await fixture.listed("a").lastAccess, start + 5,
        "the last access of 'a', which was sent")
      checkEqual(try await fixture.listed("a").creation, start, "the creation of 'a'")
      checkEqual(
        try await fixture.listed("b").lastAccess, start, "the last access of 'b', which wasn't")
      try await fixture.set("c=1; Path=/api")
      checkEqual(
        try await fixture.listed("a").lastAccess, start + 5,
        "the last access of 'a' after another cookie was set")
    }
    Clause(
      "last-access-back", "the last access is that of the latest use, even if the clock went back",
      from: "RFC 6265bis §5.8.3", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1")
      fixture.clock.advance(by: 10)
      try await fixture.expect("a=1")
      fixture.clock.advance(by: -5)
      try await fixture.set("a=2")
      checkEqual(
        try await fixture.listed("a").lastAccess, fixture.now, "the last access when set again")
      fixture.clock.advance(by: -2)
      try await fixture.expect("a=2")
      checkEqual(
        try await fixture.listed("a").lastAccess, fixture.now, "the last access when sent again")
    }
    Clause(
      "listing-is-no-access", "listing cookies doesn't update their last access",
      from: "this project",
      requires: .controllableClock
    ) { fixture in
      let start = fixture.now
      try await fixture.set("a=1")
      fixture.clock.advance(by: 5)
      let all = try await fixture.store.all()
      checkEqual(all.map(\.lastAccess), [start], "the last access in the list")
      checkEqual(
        try await fixture.listed("a").lastAccess, start, "the last access in the next list")
    }
    Clause(
      "nameless-header", "a cookie without a name is sent as its bare value",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("token")
      try await fixture.expect("token")
      try await fixture.set("=a=b")
      try await fixture.set("c=")
      try await fixture.expect("a=b; c=")
    }
    Clause(
      "header", "cookies are joined by a semicolon and a space; without cookies there is no header",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.expect(nil)
      try await fixture.set("a=1")
      try await fixture.expect("a=1")
      try await fixture.set("b=2; Secure; HttpOnly; Domain=example.com; Max-Age=60")
      try await fixture.set("c=3")
      try await fixture.expect("a=1; b=2; c=3")
    }
  }
}
