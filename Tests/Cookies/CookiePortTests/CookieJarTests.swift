import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("CookieJar")
struct CookieJarTests {
  private var jar = CookieJar()

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

  @Test("a cookie that replaces another evicts none, and a new one evicts all above the limit")
  func excess() throws {
    let limits = CookiePolicy.Limits(perDomain: 2, total: 99)
    var jar = CookieJar(
      policy: CookiePolicy(limits: limits),
      holding: (1...5).map {
        Cookie(
          name: "\($0)", value: "", domain: "example.com", isSecure: true,
          creation: .start - 9 + Double($0))
      })
    try jar.set("3=new")
    #expect(jar.count == 5)
    try jar.set("6=new; Secure")
    #expect(jar.all(now: .start).map(\.name) == ["5", "6"])
  }

  @Test("the evictions of a restoration are in the order of the domains")
  func evictions() throws {
    let domains = (0..<8).map { "\($0).example" }
    var jar = CookieJar(policy: CookiePolicy(limits: .init(perDomain: 0, total: 99)))
    var evicted: [String] = []
    let cookies = domains.reversed().map {
      Cookie(name: "a", value: "", domain: $0, creation: .start)
    }
    try jar.restore(cookies, now: .start) {
      if case .removed(let cookie, .evicted) = $0 { evicted.append(cookie.domain) }
    }
    #expect(evicted == domains)
  }

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
