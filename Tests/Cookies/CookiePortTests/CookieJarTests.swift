import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("CookieJar")
struct CookieJarTests {
  private var jar = CookieJar()

  // MARK: Identity and order

  @Test("a cookie replaces one of the same identity and keeps its creation")
  mutating func overwrite() throws {
    try jar.set("a=1", now: .start)
    let first = jar.all(now: .start)[0]
    let change = try jar.set("a=2; Secure; Max-Age=9", now: .start + 5)
    let second = jar.all(now: .start + 5)
    #expect(second.count == 1 && second[0].value == "2" && second[0].isSecure)
    #expect(second[0].creation == .start && second[0].lastAccess == .start + 5)
    #expect(change == .stored(second[0], replacing: first))
  }

  @Test("a cookie set again after its deletion is a new one")
  mutating func deleteThenSet() throws {
    try jar.set("a=1", now: .start)
    let id = Cookie.ID(name: "a", domain: "example.com")
    let isDeleted = jar.delete(id, now: .start)
    let isDeletedAgain = jar.delete(id, now: .start)
    #expect(isDeleted && !isDeletedAgain)
    try jar.set("a=1", now: .start + 5)
    #expect(jar.all(now: .start + 5).map(\.creation) == [.start + 5])
  }

  @Test("a jar created from another's cookies behaves like it, including expired ones")
  mutating func holding() throws {
    try jar.set("a=1; Max-Age=5", now: .start)
    try jar.set("b=1", now: .start)
    try jar.set("c=1; Path=/x", now: .start)
    _ = jar.cookies(for: try CookieRequest("https://example.com/"), now: .start + 9)
    var copy = CookieJar(holding: jar.all(now: .distantPast))
    #expect(copy == jar && copy.count == 3)
    #expect(copy.removeExpired(now: .start + 9) == 1)
    try copy.set("d=1", now: .start - 9)
    #expect(copy.all(now: .start + 9).map(\.name) == ["b", "c", "d"])
    let twice = copy.all(now: .start) + copy.all(now: .start)
    #expect(CookieJar(holding: twice) == copy)
  }

  @Test("name, case, domain, path and host-only flag distinguish cookies")
  mutating func identities() throws {
    for line in [
      "a=1", "A=2", "a=3; Path=/x", "a=4; Domain=example.com", "e\u{301}=5", "\u{E9}=6",
    ] {
      try jar.set(line)
    }
    try jar.set("a=7", at: "https://a.example.com/")
    #expect(jar.count == 7)
  }

  @Test("in RFC 6265 the host-only flag isn't part of the identity")
  func twins() throws {
    var jar = CookieJar(policy: CookiePolicy(profile: .rfc6265))
    try jar.set("a=1", now: .start)
    try jar.set("a=2; Domain=example.com", now: .start + 1)
    #expect(jar.all(now: .start).map(\.value) == ["2"])
    #expect(jar.all(now: .start).map(\.creation) == [.start])
    try jar.restore(
      [Cookie(name: "a", value: "3", domain: "example.com", creation: .start)], now: .start)
    #expect(jar.all(now: .start).map(\.value) == ["3"])
  }

  @Test("longer paths come first, then earlier creations, then cookies stored earlier")
  mutating func order() throws {
    try jar.set("a=1", now: .start + 2)
    try jar.set("b=1; Path=/x", now: .start + 3)
    try jar.set("c=1; Path=/é", now: .start + 3)
    for name in ["d", "e", "f", "g"] { try jar.set("\(name)=1", now: .start + 3) }
    try jar.set("d=2", now: .start + 9)
    #expect(
      try jar.header(for: "https://example.com/x", now: .start + 9)
        == "b=1; a=1; d=2; e=1; f=1; g=1")
    #expect(jar.all(now: .start + 9).map(\.name) == ["a", "b", "c", "d", "e", "f", "g"])
  }

  @Test("path length is counted in bytes")
  mutating func pathBytes() throws {
    try jar.restore(
      [
        Cookie(name: "a", value: "", domain: "example.com", path: "/", creation: .start),
        Cookie(name: "b", value: "", domain: "example.com", path: "/%C3", creation: .start),
      ], now: .start)
    #expect(try jar.header(for: "https://example.com/%C3/") == "b=; a=")
  }

  @Test("the order is kept if the clock goes backwards")
  mutating func backwards() throws {
    try jar.set("a=1", now: .start)
    try jar.set("b=1", now: .start - 100)
    try jar.set("c=1", now: .start - 50)
    #expect(try jar.header(now: .start - 50) == "a=1; b=1; c=1")
    #expect(jar.all(now: .start).map(\.creation) == [.start, .start, .start])
    #expect(
      jar.all(now: .start).map { $0.lastAccess.timeIntervalSince(.start) } == [-50, -50, -50])
    jar.delete(Cookie.ID(name: "a", domain: "example.com"), now: .start)
    jar.delete(Cookie.ID(name: "b", domain: "example.com"), now: .start)
    jar.delete(Cookie.ID(name: "c", domain: "example.com"), now: .start)
    try jar.set("d=1", now: .start - 10)
    #expect(jar.all(now: .start).map(\.creation) == [.start - 10])
  }

  @Test("sending updates the last access, listing doesn't")
  mutating func lastAccess() throws {
    try jar.set("a=1")
    try jar.set("b=1; Path=/x")
    #expect(jar.all(now: .start + 5).map(\.lastAccess) == [.start, .start])
    let sent = jar.cookies(for: try CookieRequest("https://example.com/"), now: .start + 5)
    #expect(sent.map(\.lastAccess) == [.start + 5])
    #expect(jar.all(now: .start + 5).map(\.lastAccess) == [.start + 5, .start])
  }

  // MARK: Retrieval

  @Test("a request carries the cookies of its host and of covering domains")
  mutating func retrieval() throws {
    try jar.set("a=1", at: "https://a.example.com/")
    try jar.set("b=1; Domain=a.example.com", at: "https://a.example.com/")
    try jar.set("c=1; Domain=example.com", at: "https://a.example.com/")
    try jar.set("d=1", at: "https://example.com/")
    try jar.set("e=1; Domain=1.2.3.4", at: "https://1.2.3.4/")
    #expect(try jar.header(for: "https://a.example.com/") == "a=1; b=1; c=1")
    #expect(try jar.header(for: "https://b.a.example.com/") == "b=1; c=1")
    #expect(try jar.header(for: "https://example.com:81/") == "c=1; d=1")
    #expect(try jar.header(for: "https://1.2.3.4/") == "e=1")
    #expect(try jar.header(for: "https://com/") == nil)
    #expect(try jar.header(for: "https://notexample.com/") == nil)
  }

  @Test("the jar sends a cookie if and only if the policy does")
  func agreement() throws {
    let policy = CookiePolicy(publicSuffixes: StaticPublicSuffixList(rules: ["x.com", "com"]))
    let domains = ["com", "x.com", "a.x.com", "b.a.x.com", "1.2.3.4", "3.4.example"]
    var random = SplitMix64(seed: 11)
    for _ in 0..<300 {
      var jar = CookieJar(policy: policy)
      var cookies: [Cookie] = []
      for index in 0..<12 {
        var cookie = Cookie(
          name: "n\(index)", value: "", domain: domains.randomElement(using: &random)!,
          isHostOnly: .random(using: &random), creation: .start)
        cookie.path = ["/", "/p", "/p/q"].randomElement(using: &random)!
        cookie.isHTTPOnly = .random(using: &random)
        cookie.sameSite = Cookie.SameSite.allCases.randomElement(using: &random)!
        cookie.isSecure = cookie.sameSite == .none || .random(using: &random)
        cookie.expires = [nil, .start, .start + 1].randomElement(using: &random)!
        cookies.append(cookie)
      }
      try jar.restore(cookies, now: .start - 1)
      for domain in domains {
        let request = try CookieRequest(
          isSecure: .random(using: &random), host: domain, path: "/p/q",
          access: .random(using: &random) ? .http : .script, isSameSite: .random(using: &random),
          isTopLevelNavigation: .random(using: &random), isSafeMethod: .random(using: &random))
        let sent = jar.cookies(for: request, now: .start)
        let expected = cookies.filter {
          policy.sends($0, with: request) && $0.expires != .start
        }
        #expect(Set(sent.map(\.name)) == Set(expected.map(\.name)))
        #expect(sent.map { -$0.path.utf8.count } == sent.map { -$0.path.utf8.count }.sorted())
      }
    }
  }

  // MARK: Lifetime

  @Test("a cookie has expired at the instant of its expiry, and not before")
  mutating func instant() throws {
    try jar.set("a=1; Max-Age=10")
    #expect(try jar.header(now: .start + 9.999) == "a=1")
    #expect(jar.all(now: .start + 9.999).count == 1)
    #expect(try jar.header(now: .start + 10) == nil)
    #expect(jar.all(now: .start + 10).isEmpty)
    let isDeleted = jar.delete(Cookie.ID(name: "a", domain: "example.com"), now: .start + 10)
    #expect(!isDeleted)
  }

  @Test("an expired line deletes the cookie of its identity")
  mutating func expiredLine() throws {
    try jar.set("a=1; Path=/x")
    let cookie = jar.all(now: .start)[0]
    #expect(try jar.set("a=; Path=/; Max-Age=0") == nil)
    #expect(jar.count == 1)
    #expect(try jar.set("a=; Path=/x; Expires=1 Jan 1980 00:00:00") == .removed(cookie, .expired))
    #expect(jar.count == 0)
  }

  @Test("expired cookies are removed by the next accepted line, or counted by removeExpired")
  mutating func eviction() throws {
    try jar.set("a=1; Max-Age=10")
    try jar.set("b=1; Max-Age=20")
    try jar.set("c=1; Max-Age=20")
    var changes: [CookieChange] = []
    let request = try CookieRequest("https://example.com/")
    try jar.store("d=1", from: request, now: .start + 10) { changes.append($0) }
    #expect(changes.map(\.summary) == ["expired a", "stored d"])
    let removed = jar.removeExpired(now: .start + 20)
    let removedAgain = jar.removeExpired(now: .start + 20)
    #expect(removed == 2 && removedAgain == 0)
    #expect(jar.count == 1)
  }

  @Test("a cookie set after one of its identity expired is a new one")
  mutating func expiredGivesNothing() throws {
    try jar.set("a=1; Max-Age=10; HttpOnly; Secure")
    try jar.set("a=2", at: "http://example.com/", now: .start + 10) { $0.access = .script }
    #expect(jar.all(now: .start + 10).map(\.creation) == [.start + 10])
    #expect(jar.count == 1)
  }

  @Test("the end of the session removes only session cookies")
  mutating func session() throws {
    try jar.set("a=1")
    try jar.set("b=1; Max-Age=10")
    var changes: [String] = []
    jar.endSession { changes.append($0.summary) }
    #expect(changes == ["sessionEnded a"])
    #expect(jar.all(now: .start).map(\.name) == ["b"])
  }

  @Test("clearing deletes everything, earliest creation first")
  mutating func clear() throws {
    for name in ["a", "b", "c"] { try jar.set("\(name)=1") }
    var changes: [String] = []
    jar.clear { changes.append($0.summary) }
    #expect(changes == ["deleted a", "deleted b", "deleted c"])
    #expect(jar.count == 0 && jar == CookieJar())
  }

  // MARK: Rejections

  @Test("an insecure origin can't overlay a Secure cookie of a parent or child domain or path")
  mutating func overlay() throws {
    try jar.set("a=1; Secure; Path=/login", at: "https://b.example.com/")
    try jar.set("w=1; Secure; Domain=example.com", at: "https://b.example.com/")
    let insecure = "http://b.example.com/"
    for line in [
      "a=2; Path=/login", "a=2; Path=/login/en", "a=2; Path=/login; Domain=example.com",
      "w=2", "w=2; Max-Age=0; Domain=example.com",
    ] {
      #expect(try jar.rejection(of: line, at: insecure) == .overlaysSecure, "\(line)")
    }
    #expect(try jar.rejection(of: "w=2", at: "http://c.b.example.com/") == .overlaysSecure)
    for line in ["a=2; Path=/", "a=2; Path=/foo", "a=2; Path=/loginx", "A=2; Path=/login"] {
      try jar.set(line, at: insecure)
    }
    try jar.set("a=2; Path=/login", at: "http://c.example.com/")
    try jar.set("a=2; Path=/login", at: "https://b.example.com/")
    #expect(jar.all(now: .start).filter { $0.name == "a" && $0.isSecure }.isEmpty)
  }

  @Test("a jar above lowered limits shrinks with the next new cookie, not with a replaced one")
  func loweredLimits() throws {
    let held = (0..<6).map {
      Cookie(name: "\($0)", value: "1", domain: "example.com", creation: .start)
    }
    var jar = CookieJar(
      policy: CookiePolicy(limits: .init(perDomain: 2, total: 4)), holding: held)
    #expect(jar.count == 6)
    let request = try CookieRequest("https://example.com/")
    try jar.store("0=2", from: request, now: .start)
    #expect(jar.count == 6)
    try jar.store("new=1", from: CookieRequest("https://example.org/"), now: .start)
    #expect(jar.count == 4)
    try jar.store("new=1", from: request, now: .start + 1)
    #expect(jar.count == 3)
  }

  @Test("twins of the other profile stay; a line replaces its own twin, else the other one")
  func twinsInRFC6265() throws {
    let twins = [true, false].map {
      Cookie(name: "a", value: "\($0)", domain: "example.com", isHostOnly: $0, creation: .start)
    }
    let request = try CookieRequest("https://example.com/")
    func values(after lines: String..., at time: Date = .start) throws -> [String] {
      var jar = CookieJar(policy: CookiePolicy(profile: .rfc6265), holding: twins)
      for line in lines { try jar.store(line, from: request, now: time) }
      return jar.all(now: time).map(\.value)
    }
    #expect(try values() == ["true", "false"])
    #expect(try values(after: "a=1; Domain=example.com") == ["true", "1"])
    #expect(try values(after: "a=; Max-Age=0") == ["false"])
    #expect(try values(after: "a=; Max-Age=0", "a=1") == ["1"])
  }

  @Test("in RFC 6265 an insecure origin may overlay a Secure cookie")
  func noOverlay() throws {
    var jar = CookieJar(policy: CookiePolicy(profile: .rfc6265))
    try jar.set("a=1; Secure")
    try jar.set("a=2", at: "http://example.com/")
    #expect(jar.all(now: .start).map(\.value) == ["2"])
  }

  @Test("a trusted localhost may overlay a Secure cookie", arguments: [true, false])
  func localhost(_ isTrusted: Bool) throws {
    var jar = CookieJar(policy: CookiePolicy(trustsLocalhost: isTrusted))
    try jar.set("a=1; Secure", at: "https://localhost/")
    #expect(
      try jar.rejection(of: "a=2", at: "http://localhost/") == (isTrusted ? nil : .overlaysSecure))
  }

  @Test("a script can't overwrite or delete an HttpOnly cookie")
  mutating func httpOnly() throws {
    try jar.set("a=1; HttpOnly")
    for line in ["a=2", "a=; Max-Age=0"] {
      #expect(try jar.rejection(of: line) { $0.access = .script } == .overwritesHTTPOnly)
    }
    #expect(try jar.rejection(of: "a=2; Path=/x") { $0.access = .script } == nil)
    try jar.set("a=2")
    #expect(try jar.rejection(of: "a=3") { $0.access = .script } == nil)
  }

  @Test("a rejected line changes nothing and doesn't remove expired cookies")
  mutating func unchanged() throws {
    try jar.set("x=1; Max-Age=1")
    try jar.set("a=1; HttpOnly; Secure")
    let later = Date.start + 5
    for (line, access) in [
      ("a\u{0}", CookieRequest.Access.http), ("a=2", .http), ("a=2; Domain=com", .http),
      ("a=2", .script),
    ] {
      let url = access == .script ? "https://example.com/" : "http://example.com/"
      #expect(try jar.rejection(of: line, at: url, now: later) { $0.access = access } != nil)
    }
    #expect(jar.count == 2)
  }

  // MARK: Limits

  @Test("a full domain evicts cookies without Secure first, the least recently used first")
  func domainLimit() throws {
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 3, total: 100)))
    try jar.set("s=1; Secure", now: .start)
    try jar.set("a=1; Path=/a", now: .start + 1)
    try jar.set("b=1; Path=/b", now: .start + 2)
    try jar.set("o=1", at: "https://a.example.com/", now: .start + 3)
    _ = try jar.header(for: "https://example.com/a", now: .start + 4)
    try jar.set("c=1; Secure", now: .start + 5)
    #expect(Set(jar.all(now: .start).map(\.name)) == ["s", "a", "o", "c"])
    try jar.set("d=1; Secure", now: .start + 6)
    #expect(Set(jar.all(now: .start).map(\.name)) == ["s", "o", "c", "d"])
    try jar.set("e=1; Secure; Domain=example.com", now: .start + 7)
    #expect(Set(jar.all(now: .start).map(\.name)) == ["o", "c", "d", "e"])
  }

  @Test("a full jar evicts the least recently used cookie of any domain, Secure or not")
  func totalLimit() throws {
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 100, total: 3)))
    var changes: [String] = []
    for (index, name) in ["a", "b", "c", "d", "e"].enumerated() {
      let request = try CookieRequest("https://\(name).example/")
      try jar.store("\(name)=1; Secure", from: request, now: .start + Double(index)) {
        changes.append($0.summary)
      }
      if name == "c" { _ = try jar.header(for: "https://a.example/", now: .start + 2.5) }
    }
    #expect(
      changes == [
        "stored a", "stored b", "stored c", "stored d", "evicted b", "stored e", "evicted c",
      ])
    #expect(jar.count == 3)
  }

  @Test("at equal last access the cookie created first is evicted, then the one stored first")
  func tie() throws {
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 2, total: 100)))
    for name in ["a", "b", "c", "d"] { try jar.set("\(name)=1") }
    #expect(jar.all(now: .start).map(\.name) == ["c", "d"])
    try jar.set("e=1", now: .start + 1)
    _ = try jar.header(now: .start + 2)
    try jar.set("f=1", now: .start + 2)
    #expect(jar.all(now: .start).map(\.name) == ["e", "f"])
  }

  @Test("expired cookies are removed before others are evicted")
  func expiredMakeRoom() throws {
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 2, total: 2)))
    try jar.set("a=1")
    try jar.set("b=1; Max-Age=5; Secure", now: .start + 1)
    try jar.set("c=1", now: .start + 6)
    #expect(jar.all(now: .start + 6).map(\.name) == ["a", "c"])
  }

  @Test("the default limits allow 50 cookies per domain and 3,000 in total")
  mutating func minima() throws {
    for domain in 0..<60 {
      for name in 0..<50 { try jar.set("n\(name)=1", at: "https://d\(domain).example/") }
    }
    #expect(jar.count == 3000)
  }

  @Test("limits of 0 keep no cookies")
  func noRoom() throws {
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 0, total: 0)))
    try jar.set("a=1")
    #expect(jar.count == 0)
  }

  // MARK: Restoring

  @Test("restoring another jar's cookies results in an equal jar")
  func restoring() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<100 {
      var jar = CookieJar()
      for index in 0..<15 {
        try jar.set(
          "n\(index % 7)=\(index); Path=/\(index % 3)",
          now: .start + .random(in: -5...5, using: &random))
      }
      var other = CookieJar()
      try other.restore(jar.all(now: .start), now: .start + 5)
      #expect(other == jar)
      #expect(
        try other.header(for: "https://example.com/1") == jar.header(for: "https://example.com/1"))
      #expect(other == jar && other.hashValue == jar.hashValue)
    }
  }

  @Test("restoring invalid cookies changes nothing")
  mutating func allOrNothing() throws {
    try jar.set("a=1")
    let before = jar
    let good = Cookie(name: "a", value: "2", domain: "example.com", creation: .start)
    let bad = Cookie(name: "b", value: ";", domain: "example.com", creation: .start)
    #expect(throws: CookieRejection.notRestorable) { try jar.restore([good, bad], now: .start) }
    #expect(jar == before)
  }

  @Test("a restored cookie replaces one of its identity, an expired one is skipped")
  mutating func restoreReplaces() throws {
    try jar.set("a=1; Max-Age=100", now: .start)
    let first = jar.all(now: .start)[0]
    var changes: [CookieChange] = []
    var other = first
    other.value = "2"
    other.creation = .start - 50
    var expired = first
    expired.expires = .start + 1
    expired.value = "3"
    try jar.restore([other, expired], now: .start + 1) { changes.append($0) }
    #expect(changes == [.stored(other, replacing: first)])
    #expect(jar.all(now: .start) == [other])
  }

  @Test("restoring above the limits keeps the most recently used cookies")
  func restoreLimit() throws {
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 3, total: 4)))
    let cookies = (0..<6).map {
      Cookie(
        name: "n\($0)", value: "", domain: $0 < 4 ? "a.example" : "b.example",
        creation: .start - 10, lastAccess: .start - Double($0))
    }
    try jar.restore(cookies, now: .start)
    #expect(jar.all(now: .start).map(\.name) == ["n0", "n1", "n2", "n4"])
  }

  // MARK: Value semantics

  @Test("jars with the same cookies in the same order are equal, whatever their history")
  mutating func equality() throws {
    try jar.set("a=1")
    try jar.set("b=1")
    var other = CookieJar()
    try other.set("x=1")
    try other.set("a=1")
    try other.set("b=1")
    #expect(other != jar)
    other.delete(Cookie.ID(name: "x", domain: "example.com"), now: .start)
    #expect(other == jar && other.hashValue == jar.hashValue)
    var swapped = CookieJar()
    try swapped.set("b=1")
    try swapped.set("a=1")
    #expect(swapped != jar)
  }

  @Test(
    "non-finite dates don't trap", arguments: [Double.nan, .infinity, -.infinity, 1e300])
  mutating func strangeClocks(_ seconds: Double) throws {
    let now = Date(timeIntervalSince1970: seconds)
    for moment in [now, .start, now] {
      try jar.set("a=1; Max-Age=9", now: moment)
      try jar.set("b=1; Expires=1 Jan 2030 00:00:00", now: moment)
      _ = try jar.header(now: moment)
      jar.removeExpired(now: moment)
    }
    #expect(jar.count <= 2)
  }

  @Test("after any operations identities are unique, limits hold and the order is kept")
  func anything() throws {
    var random = SplitMix64(seed: 23)
    for round in 0..<60 {
      let profile: CookiePolicy.Profile = round % 3 == 0 ? .rfc6265 : .rfc6265bis
      let limits = CookiePolicy.Limits(perDomain: 4, total: 9)
      var jar = CookieJar(policy: CookiePolicy(profile: profile, limits: limits))
      var now = Date.start
      var mirror: [Cookie.ID: Cookie] = [:]
      for _ in 0..<60 {
        now += .random(in: -3...10, using: &random)
        var changes: [CookieChange] = []
        let host = ["a.example", "b.a.example", "example.com"].randomElement(using: &random)!
        let request = try CookieRequest(
          isSecure: .random(using: &random), host: host, path: "/p/q",
          access: .random(using: &random) ? .http : .script)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: jar.endSession { changes.append($0) }
        case 1: jar.removeExpired(now: now) { changes.append($0) }
        case 2:
          if let id = jar.all(now: now).randomElement(using: &random)?.id {
            jar.delete(id, now: now) { changes.append($0) }
          }
        case 3, 4:
          for cookie in jar.cookies(for: request, now: now) { mirror[cookie.id] = cookie }
        default:
          let line = ["a=1", "b=2", "c=3", "=d"].randomElement(using: &random)!
          let attributes = [
            "", "; Secure", "; HttpOnly", "; Max-Age=9", "; Max-Age=0", "; Domain=\(host)",
          ]
          let more =
            "\(attributes.randomElement(using: &random)!)\(attributes.randomElement(using: &random)!)"
          _ = try? jar.store(line + more, from: request, now: now) { changes.append($0) }
        }
        for change in changes {
          switch change {
          case .stored(let cookie, let old):
            if let old { #expect(mirror.removeValue(forKey: old.id) == old) }
            #expect(mirror.updateValue(cookie, forKey: cookie.id) == nil)
          case .removed(let cookie, _):
            #expect(mirror.removeValue(forKey: cookie.id) == cookie)
          }
        }
        let listed = jar.all(now: now)
        // The reported changes account for every cookie in the jar.
        #expect(Set(listed) == Set(mirror.values.filter { $0.expires.map { $0 > now } ?? true }))
        #expect(jar.count == mirror.count)
        #expect(jar.count <= limits.total)
        #expect(Dictionary(grouping: mirror.keys, by: \.domain).values.allSatisfy { $0.count <= 4 })
        #expect(listed.map(\.creation) == listed.map(\.creation).sorted())
      }
    }
  }
}

extension CookieChange {
  /// The kind of change and the cookie's name.
  var summary: String {
    switch self {
    case .stored(let cookie, _): "stored \(cookie.name)"
    case .removed(let cookie, let cause): "\(cause) \(cookie.name)"
    }
  }
}
