import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("CookiePolicy: admission")
struct CookieAdmissionTests {
  private let bis = CookiePolicy(
    publicSuffixes: StaticPublicSuffixList(rules: ["com", "co.uk", "github.io"]))
  private let old = CookiePolicy(profile: .rfc6265)

  private func admit(
    _ line: String, at url: String = "https://www.example.com/docs/x",
    _ policy: CookiePolicy? = nil,
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> Cookie {
    var request = try CookieRequest(url)
    change(&request)
    return try (policy ?? bis).admit(line, from: request, now: .start)
  }

  @Test("a cookie without attributes is host-only, with the default path and no expiry")
  func plain() throws {
    #expect(
      try admit("a=1")
        == Cookie(
          name: "a", value: "1", domain: "www.example.com", path: "/docs", creation: .start))
  }

  @Test("every attribute sets its field")
  func attributes() throws {
    let line = "a=1; Domain=.Example.com; Path=/x; Secure; HttpOnly; SameSite=Strict; Max-Age=60"
    #expect(
      try admit(line)
        == Cookie(
          name: "a", value: "1", domain: "example.com", isHostOnly: false, path: "/x",
          expires: .start + 60, isSecure: true, isHTTPOnly: true, sameSite: .strict,
          creation: .start))
  }

  @Test(
    "Max-Age overrides Expires in either order",
    arguments: [
      "a=1; Max-Age=60; Expires=1 Jan 2024 00:00:00",
      "a=1; Expires=1 Jan 2024 00:00:00; Max-Age=60",
    ])
  func maxAgeFirst(_ line: String) throws {
    #expect(try admit(line).expires == .start + 60)
  }

  @Test("lifetimes are limited to 400 days, except in RFC 6265")
  func cap() throws {
    let limit = Date.start + 400 * 86_400
    #expect(try admit("a=1; Max-Age=34560000").expires == limit)
    #expect(try admit("a=1; Max-Age=34560001").expires == limit)
    #expect(try admit("a=1; Max-Age=34559999").expires == limit - 1)
    #expect(try admit("a=1; Max-Age=\(String(repeating: "9", count: 30))").expires == limit)
    #expect(try admit("a=1; Expires=1 Jan 2099 00:00:00").expires == limit)
    #expect(try admit("a=1; Max-Age=34560001", old).expires == limit + 1)
    #expect(try admit("a=1; Max-Age=\(Int.max)", old).expires == CookieDate.latest)
    let later = try #require(CookieDate.parse("1 Jan 2099 00:00:00"))
    #expect(try admit("a=1; Expires=1 Jan 2099 00:00:00", old).expires == later)
  }

  @Test("a Max-Age of 0 or less has already expired", arguments: ["0", "-1", "\(Int.min)"])
  func noAge(_ age: String) throws {
    #expect(try #require(try admit("a=1; Max-Age=\(age)").expires) <= .start)
  }

  @Test(
    "a Domain that doesn't cover the host is rejected",
    arguments: [
      "example.org", "a.www.example.com", "other.example.com", "ample.com", "example.com.",
      "..example.com", "xwww.example.com",
    ])
  func otherDomain(_ domain: String) {
    #expect(throws: CookieRejection.domainMismatch) { try admit("a=1; Domain=\(domain)") }
  }

  @Test("part of an IP address isn't a domain of it")
  func addressDomain() throws {
    #expect(throws: CookieRejection.domainMismatch) {
      try admit("a=1; Domain=3.4", at: "http://1.2.3.4/")
    }
    let whole = try admit("a=1; Domain=1.2.3.4", at: "http://1.2.3.4/")
    #expect(whole.domain == "1.2.3.4" && !whole.isHostOnly)
  }

  @Test("a non-ASCII Domain is rejected, its A-labels aren't")
  func internationalDomain() throws {
    let url = "https://www.bücher.example/"
    #expect(throws: CookieRejection.nonASCIIDomain) {
      try admit("a=1; Domain=bücher.example", at: url)
    }
    let cookie = try admit("a=1; Domain=xn--bcher-kva.example", at: url)
    #expect(cookie.domain == "xn--bcher-kva.example")
  }

  @Test("a public suffix is rejected unless it is the host: then the cookie is host-only")
  func suffixes() throws {
    for domain in ["com", "co.uk", "org", ".github.io"] {
      #expect(throws: CookieRejection.publicSuffix) {
        try admit("a=1; Domain=\(domain)", at: "https://a.b.co.uk/")
      }
    }
    let own = try admit("a=1; Domain=github.io", at: "https://github.io/")
    #expect(own.domain == "github.io" && own.isHostOnly)
    #expect(throws: CookieRejection.publicSuffix) {
      try admit("a=1; Domain=com.", at: "https://example.com./")
    }
  }

  @Test("Secure requires a secure origin, except in RFC 6265")
  func secure() throws {
    #expect(throws: CookieRejection.insecureOrigin) {
      try admit("a=1; Secure", at: "http://a.com/")
    }
    #expect(try admit("a=1; Secure", at: "wss://a.com/").isSecure)
    #expect(try admit("a=1; Secure", at: "http://a.com/", old).isSecure)
  }

  @Test("loopback counts as secure if the policy trusts it")
  func loopback() throws {
    var trusting = bis
    trusting.trustsLocalhost = true
    for url in [
      "http://localhost:8080/", "http://127.0.0.1/", "http://[::1]/", "http://a.localhost/",
    ] {
      #expect(try admit("a=1; Secure", at: url, trusting).isSecure)
      #expect(throws: CookieRejection.insecureOrigin) { try admit("a=1; Secure", at: url) }
    }
    #expect(throws: CookieRejection.insecureOrigin) {
      try admit("a=1; Secure", at: "http://a.com/", trusting)
    }
  }

  @Test("a script can't set HttpOnly", arguments: CookiePolicy.Profile.allCases)
  func script(_ profile: CookiePolicy.Profile) throws {
    let policy = CookiePolicy(profile: profile)
    #expect(throws: CookieRejection.httpOnlyFromScript) {
      try admit("a=1; HttpOnly", policy) { $0.access = .script }
    }
    #expect(try admit("a=1", policy) { $0.access = .script }.name == "a")
  }

  @Test("other sites set cookies by a top-level navigation or with SameSite=None")
  func crossSite() throws {
    for line in ["a=1", "a=1; SameSite=Lax", "a=1; SameSite=Strict"] {
      #expect(throws: CookieRejection.crossSite) { try admit(line) { $0.isSameSite = false } }
      #expect(
        try admit(line) {
          $0.isSameSite = false
          $0.isTopLevelNavigation = true
        }.name == "a")
      #expect(throws: CookieRejection.crossSite) {
        try admit(line) {
          $0.isSameSite = false
          $0.isTopLevelNavigation = true
          $0.access = .script
        }
      }
      #expect(try admit(line, old) { $0.isSameSite = false }.name == "a")
    }
    #expect(try admit("a=1; SameSite=None; Secure") { $0.isSameSite = false }.sameSite == .none)
  }

  @Test("SameSite=None requires Secure")
  func sameSiteNone() throws {
    #expect(throws: CookieRejection.sameSiteNoneNeedsSecure) { try admit("a=1; SameSite=None") }
    #expect(try admit("a=1; SameSite=None", old).name == "a")
  }

  @Test(
    "the prefix __Secure- requires Secure", arguments: ["__Secure-a", "__sEcUrE-a", "__Secure-"])
  func securePrefix(_ name: String) throws {
    #expect(throws: CookieRejection.securePrefix) { try admit("\(name)=1") }
    #expect(try admit("\(name)=1; Secure; Domain=example.com").isSecure)
    #expect(try admit("\(name)=1", old).name == name)
  }

  @Test("the prefix __Host- requires Secure, an explicit Path=/ and no Domain")
  func hostPrefix() throws {
    for name in ["__Host-a", "__hOST-a"] {
      #expect(try admit("\(name)=1; Secure; Path=/").isHostOnly)
      for attributes in [
        "Path=/", "Secure", "Secure; Path=/docs", "Secure; Path=/; Domain=www.example.com",
      ] {
        #expect(throws: CookieRejection.hostPrefix) { try admit("\(name)=1; \(attributes)") }
      }
      #expect(throws: CookieRejection.hostPrefix) {
        try admit("\(name)=1; Secure", at: "https://example.com/")
      }
      #expect(try admit("\(name)=1", old).name == name)
    }
    #expect(try admit("__Hosta=1").name == "__Hosta")
  }

  @Test("a nameless value must not begin like a prefixed name")
  func namelessPrefix() throws {
    for line in ["=__Host-a=1", "__secure-a; Secure; Path=/", "=__HOST-", "__Secure-"] {
      #expect(throws: CookieRejection.namelessPrefix) { try admit(line) }
    }
    #expect(try admit("=__Hosta").value == "__Hosta")
  }

  @Test("the default limits satisfy the specification, and limits are never negative")
  func limits() {
    #expect(CookiePolicy.Limits().perDomain >= 50 && CookiePolicy.Limits().total >= 3000)
    #expect(CookiePolicy.Limits(perDomain: -1, total: .min) == .init(perDomain: 0, total: 0))
  }
}

@Suite("CookiePolicy: retrieval")
struct CookieRetrievalTests {
  private func sends(
    _ cookie: Cookie, to url: String = "https://example.com/",
    policy: CookiePolicy = CookiePolicy(),
    _ change: (inout CookieRequest) -> Void = { _ in }
  ) throws -> Bool {
    var request = try CookieRequest(url)
    change(&request)
    return policy.sends(cookie, with: request)
  }

  private let cookie = Cookie(name: "a", value: "1", domain: "example.com", creation: .start)

  @Test("a host-only cookie is sent to its host, a domain cookie to subdomains too")
  func domains() throws {
    var wide = cookie
    wide.isHostOnly = false
    #expect(try sends(cookie) && sends(wide))
    #expect(try !sends(cookie, to: "https://a.example.com/"))
    #expect(try sends(wide, to: "https://a.example.com/"))
    #expect(try !sends(wide, to: "https://example.org/"))
  }

  @Test("a domain cookie isn't sent after its domain became a suffix, a host-only one is")
  func suffix() throws {
    let policy = CookiePolicy(publicSuffixes: StaticPublicSuffixList(rules: ["example.com"]))
    var wide = cookie
    wide.isHostOnly = false
    #expect(try !sends(wide, policy: policy))
    #expect(try sends(cookie, policy: policy))
  }

  @Test("path, Secure and HttpOnly decide what is sent")
  func flags() throws {
    var other = cookie
    other.path = "/x"
    #expect(try !sends(other))
    #expect(try sends(other, to: "https://example.com/x/y"))
    other = cookie
    other.isSecure = true
    #expect(try sends(other))
    #expect(try !sends(other, to: "http://example.com/"))
    other = cookie
    other.isHTTPOnly = true
    #expect(try sends(other))
    #expect(try !sends(other) { $0.access = .script })
    #expect(try sends(cookie) { $0.access = .script })
  }

  @Test("SameSite decides what is sent to other sites", arguments: Cookie.SameSite.allCases)
  func sameSite(_ sameSite: Cookie.SameSite) throws {
    var other = cookie
    other.sameSite = sameSite
    #expect(try sends(other))
    let isLax = sameSite == .lax || sameSite == .unspecified
    for (isNavigation, isSafe, access) in [
      (true, true, CookieRequest.Access.http), (true, false, .http), (false, true, .http),
      (true, true, .script),
    ] {
      let isCovered = isLax && isNavigation && isSafe && access == .http
      func crossSite(_ request: inout CookieRequest) {
        request.isSameSite = false
        request.isTopLevelNavigation = isNavigation
        request.isSafeMethod = isSafe
        request.access = access
      }
      #expect(try sends(other, crossSite) == (sameSite == .none || isCovered))
      #expect(try sends(other, policy: CookiePolicy(profile: .rfc6265), crossSite))
    }
  }
}

@Suite("CookiePolicy: restoration")
struct CookieRestorationTests {
  private let policy = CookiePolicy()
  private let cookie = Cookie(
    name: "a", value: "1", domain: "example.com", expires: .start + 60, creation: .start - 9)

  @Test("a cookie is restored unchanged except for dates out of range")
  func dates() throws {
    #expect(try policy.restorable(cookie, now: .start) == cookie)
    var late = cookie
    late.creation = .start + 1
    late.lastAccess = .start + 2
    late.expires = .distantFuture
    let restored = try policy.restorable(late, now: .start)
    #expect(restored.creation == .start && restored.lastAccess == .start)
    #expect(restored.expires == .start + 400 * 86_400)
    let old = try CookiePolicy(profile: .rfc6265).restorable(late, now: .start)
    #expect(old.expires == .distantFuture)
  }

  @Test(
    "a cookie that no line can produce is rejected",
    arguments: [
      ("name", "a\u{0}", CookieRejection.controlCharacter), ("value", "\r\n", .controlCharacter),
      ("path", "/\u{7F}", .controlCharacter), ("domain", "a\u{1}", .controlCharacter),
      ("name", "a=b", .notRestorable), ("name", "a;b", .notRestorable),
      ("name", " a", .notRestorable),
      ("name", "a\t", .notRestorable), ("value", "1;2", .notRestorable),
      ("value", "1 ", .notRestorable),
      ("value", "1;\u{301}", .notRestorable), ("path", "", .notRestorable),
      ("path", "x", .notRestorable),
      ("path", "/x ", .notRestorable), ("domain", "", .notRestorable),
      ("domain", "A.b", .notRestorable),
      ("domain", ".a.b", .notRestorable), ("domain", "é.b", .notRestorable),
      ("domain", "[::1]", .notRestorable), ("domain", "1.2.3", .notRestorable),
      ("domain", "a:80", .notRestorable), ("name", "__Host-a", .hostPrefix),
      ("name", "__secure-a", .securePrefix),
      ("value", String(repeating: "x", count: 4096), .tooLarge),
    ])
  func rejected(_ field: String, _ text: String, _ rejection: CookieRejection) {
    var other = cookie
    switch field {
    case "name": other.name = text
    case "value": other.value = text
    case "path": other.path = text
    default: other.domain = text
    }
    #expect(throws: rejection) { try policy.restorable(other, now: .start) }
  }

  @Test("contradictory flags are rejected")
  func flags() throws {
    var other = cookie
    other.sameSite = .none
    #expect(throws: CookieRejection.sameSiteNoneNeedsSecure) {
      try policy.restorable(other, now: .start)
    }
    other = cookie
    other.name = ""
    other.value = "__Host-"
    #expect(throws: CookieRejection.namelessPrefix) { try policy.restorable(other, now: .start) }
    other.value = "x"
    #expect(try policy.restorable(other, now: .start) == other)
    #expect(throws: CookieRejection.missingName) {
      try CookiePolicy(profile: .rfc6265).restorable(other, now: .start)
    }
    other.value = ""
    #expect(throws: CookieRejection.emptyNameAndValue) { try policy.restorable(other, now: .start) }
  }

  @Test(
    "non-finite and out-of-range dates are rejected",
    arguments: [Double.nan, .infinity, -.infinity, 1e18, -1e18], 0..<3)
  func noDates(_ seconds: Double, _ field: Int) {
    var other = cookie
    let date = Date(timeIntervalSince1970: seconds)
    switch field {
    case 0: other.expires = date
    case 1: other.creation = date
    default: other.lastAccess = date
    }
    #expect(throws: CookieRejection.notRestorable) { try policy.restorable(other, now: .start) }
  }

  @Test("every admitted cookie can be restored unchanged")
  func admitted() throws {
    var random = SplitMix64(seed: 3)
    let attributes = [
      "; Path=/x;y", "; Path=/a b", "; Domain=example.com", "; Secure", "; HttpOnly",
      "; SameSite=None",
      "; Max-Age=5", "; Expires=1 Jan 1999 00:00:00", "; Path=é", "; Path=/é\t x", "; SameSite=Lax",
    ]
    let urls = ["https://a.example.com/p;q/x", "http://1.2.3.4/", "https://[::1]/x/y"]
    var admitted = 0
    for _ in 0..<2000 {
      var line = ["a=1", "b", "=x=y", "é=\"1 2\"", "__Host-a=1; Path=/", "a="].randomElement(
        using: &random)!
      for _ in 0..<3 { line += attributes.randomElement(using: &random)! }
      let request = try CookieRequest(urls.randomElement(using: &random)!)
      guard let cookie = try? policy.admit(line, from: request, now: .start) else { continue }
      admitted += 1
      #expect(try policy.restorable(cookie, now: .start) == cookie, "\(line)")
    }
    #expect(admitted > 500)
  }
}
