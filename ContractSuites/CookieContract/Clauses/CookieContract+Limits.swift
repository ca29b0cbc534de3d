import ContractTesting
import CookiePort
import Foundation
import Testing

extension CookieStoreFixture {
  /// Opens another store with these limits.
  fileprivate func openingLimited(perDomain: Int, total: Int) async throws -> CookieStoreFixture {
    try await opening(CookiePolicy(limits: .init(perDomain: perDomain, total: total)))
  }
}

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var limits: [Clause<CookieStoreFixture>] {
    Clause(
      "fifty-per-domain", "a store keeps at least 50 cookies per domain", from: "RFC 6265bis §6.1"
    ) { fixture in
      let names = (1...50).map { "n\($0)" }
      for name in names { try await fixture.set("\(name)=1") }
      try await fixture.expect(names.map { "\($0)=1" }.joined(separator: "; "))
    }
    Clause(
      "three-thousand", "a store keeps at least 3,000 cookies in total", from: "RFC 6265bis §6.1"
    ) { fixture in
      let names = (1...50).map { "n\($0)" }
      // All but the last are restored: a store may compare each line that it reads with every
      // domain, which takes long where code is not optimized.
      for site in 1...60 {
        try await fixture.store.restore(
          names.dropLast(site == 60 ? 1 : 0).map { name in
            Cookie(
              name: name, value: "1", domain: "site\(site).example", creation: fixture.now)
          })
      }
      try await fixture.set("n50=1", at: "https://site60.example/")
      checkEqual(try await fixture.store.all().count, 3000, "the number of cookies kept of 3,000")
    }
    Clause(
      "domain-limit", "a cookie above the limit per domain evicts one of that domain",
      from: "RFC 6265bis §5.7", requires: .configurablePolicy
    ) { fixture in
      let store = try await fixture.openingLimited(perDomain: 3, total: 10)
      try await store.set("o=1", at: "https://example.org/")
      for name in ["a", "b", "c"] { try await store.set("\(name)=1") }
      try await store.expectAll(["o=1", "a=1", "b=1", "c=1"])
      try await store.set("d=1")
      try await store.expectAll(["o=1", "b=1", "c=1", "d=1"])
      try await store.set("b=2")
      try await store.expectAll(["o=1", "b=2", "c=1", "d=1"])
      try await store.set("e=1", at: "https://api.example.com/")
      try await store.expectAll(["o=1", "b=2", "c=1", "d=1", "e=1"])
    }
    Clause(
      "no-room", "a limit of zero keeps no cookie, and a negative limit is one of zero",
      from: "this project", requires: .configurablePolicy
    ) { fixture in
      for (perDomain, total) in [(0, 10), (10, 0), (-2, 10), (10, -2)] {
        let limits = CookiePolicy.Limits(perDomain: perDomain, total: total)
        checkEqual(
          limits, CookiePolicy.Limits(perDomain: max(0, perDomain), total: max(0, total)),
          "limits of \(perDomain) per domain and \(total) in total")
        let store = try await fixture.opening(CookiePolicy(limits: limits))
        try await store.set("a=1")
        try await store.expectAll([])
      }
    }
    Clause(
      "total-limit", "a cookie above the total limit evicts the least recently used of all",
      from: "RFC 6265bis §5.7", requires: .configurablePolicy
    ) { fixture in
      let store = try await fixture.openingLimited(perDomain: 10, total: 3)
      try await store.set("a=1; Secure", at: "https://one.example/")
      try await store.set("b=1", at: "https://two.example/")
      try await store.set("c=1", at: "https://three.example/")
      try await store.expectAll(["a=1", "b=1", "c=1"])
      try await store.set("d=1", at: "https://four.example/")
      try await store.expectAll(["b=1", "c=1", "d=1"])
    }
    Clause(
      "eviction-order",
      "eviction order: expired cookies, then cookies without Secure of a full domain, then its others",
      from: "RFC 6265bis §5.7", requires: .configurablePolicy, .controllableClock
    ) { fixture in
      let store = try await fixture.openingLimited(perDomain: 3, total: 4)
      try await store.set("o=1", at: "https://example.org/")
      try await store.set("a=1; Secure")
      try await store.set("b=1")
      try await store.set("c=1; Max-Age=60")
      fixture.clock.advance(by: 60)
      try await store.set("d=1; Secure")
      try await store.expectAll(["o=1", "a=1", "b=1", "d=1"])
      try await store.set("e=1; Secure")
      try await store.expectAll(["o=1", "a=1", "d=1", "e=1"])
      try await store.set("f=1; Secure")
      try await store.expectAll(["o=1", "d=1", "e=1", "f=1"])
      try await store.set("p=1", at: "https://example.org/")
      try await store.expectAll(["d=1", "e=1", "f=1", "p=1"])
    }
    Clause(
      "least-recently-used",
      "the least recently used cookie is evicted, the earliest created among equals",
      from: "RFC 6265bis §5.7", requires: .configurablePolicy, .controllableClock
    ) { fixture in
      for limits in [(perDomain: 3, total: 10), (perDomain: 10, total: 3)] {
        let store = try await fixture.openingLimited(
          perDomain: limits.perDomain, total: limits.total)
        try await store.set("a=1; Path=/a")
        try await store.set("b=1; Path=/b")
        try await store.set("c=1; Path=/c")
        fixture.clock.advance(by: 1)
        try await store.expect("a=1", at: "https://example.com/a")
        try await store.set("d=1; Path=/d")
        try await store.expectAll(["a=1", "c=1", "d=1"])
        fixture.clock.advance(by: 1)
        try await store.set("a=2; Path=/a")
        try await store.set("e=1; Path=/e")
        try await store.expectAll(["a=2", "d=1", "e=1"])
        try await store.set("f=1; Path=/f")
        try await store.expectAll(["a=2", "e=1", "f=1"])
      }
      let many = try await fixture.openingLimited(perDomain: 70, total: 100)
      for number in 1...70 { try await many.set("n\(number)=1; Path=/\(number)") }
      fixture.clock.advance(by: 1)
      for number in 2...70 {
        try await many.expect("n\(number)=1", at: "https://example.com/\(number)")
      }
      try await many.set("last=1")
      let names = Set(try await many.store.all().map(\.name))
      checkEqual(names.count, 70, "the number of cookies kept of 71")
      checkEqual(names.contains("n1"), false, "whether the only cookie that was not read is kept")
    }
    Clause(
      "eviction-ties",
      "at equal last access the earliest creation is evicted, even if stored later",
      from: "this project", requires: .configurablePolicy, .controllableClock
    ) { fixture in
      for limits in [(perDomain: 2, total: 10), (perDomain: 10, total: 2)] {
        let store = try await fixture.openingLimited(
          perDomain: limits.perDomain, total: limits.total)
        try await store.set("a=1")
        try await store.store.restore([
          Cookie(
            name: "b", value: "1", domain: "example.com", creation: fixture.now - 60,
            lastAccess: fixture.now)
        ])
        try await store.set("c=1")
        try await store.expectAll(["a=1", "c=1"])
      }
    }
    Clause(
      "restore-evicts", "restoring cookies above the limits evicts the least recently used ones",
      from: "RFC 6265bis §5.7", requires: .configurablePolicy
    ) { fixture in
      let store = try await fixture.openingLimited(perDomain: 2, total: 3)
      func cookie(_ name: String, of domain: String, age: TimeInterval) -> Cookie {
        Cookie(name: name, value: "1", domain: domain, creation: fixture.now - age)
      }
      try await store.store.restore([
        cookie("a", of: "example.com", age: 20), cookie("b", of: "example.com", age: 40),
        cookie("c", of: "example.com", age: 10), cookie("d", of: "example.com", age: 30),
      ])
      try await store.expectAll(["a=1", "c=1"])
      try await store.store.restore([
        cookie("e", of: "example.org", age: 5), cookie("f", of: "example.net", age: 15),
      ])
      try await store.expectAll(["c=1", "e=1", "f=1"])
    }
    Clause(
      "reopened-limits",
      "lowered limits apply when the next new cookie is stored, not when one is replaced",
      from: "this project", requires: .configurablePolicy, .persistence
    ) { fixture in
      let first = try await fixture.openingLimited(perDomain: 10, total: 10)
      for name in ["a", "b", "c", "d"] { try await first.set("\(name)=1; Max-Age=600") }
      let store = try await first.reopened(CookiePolicy(limits: .init(perDomain: 2, total: 10)))
      try await store.expectAll(["a=1", "b=1", "c=1", "d=1"])
      try await store.set("a=2; Max-Age=600")
      try await store.expectAll(["a=2", "b=1", "c=1", "d=1"])
      try await store.set("o=1; Max-Age=600", at: "https://example.org/")
      try await store.expectAll(["a=2", "b=1", "c=1", "d=1", "o=1"])
      try await store.set("e=1; Max-Age=600")
      checkEqual(try await store.store.all().count, 3, "the number of cookies after a new one")
      try await store.expect("o=1", at: "https://example.org/")
    }
  }
}
