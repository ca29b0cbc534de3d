import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("CookiePolicy")
struct CookiePolicyTests {
  private let policy = CookiePolicy()
  private let cookie = Cookie(
    name: "a", value: "1", domain: "example.com", expires: .start + 60, creation: .start - 9)

  @Test("the default limits satisfy the specification, and limits are never negative")
  func limits() {
    #expect(CookiePolicy.Limits() == .init(perDomain: 180, total: 3300))
    #expect(CookiePolicy.Limits(perDomain: -1, total: .min) == .init(perDomain: 0, total: 0))
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

  @Test("a cookie expires within the years that can be formatted, whatever the clock")
  func lateClock() throws {
    let line = "a=1; Max-Age=9999999"
    let now = CookieDate.latest - 9
    let cookie = try policy.admit(line, from: CookieRequest("https://a.b/"), now: now)
    #expect(cookie.expires == CookieDate.latest)
  }

  @Test("a path that no line produces, and a prefix of the profile, are rejected")
  func notProduced() throws {
    for (path, isRestorable) in [("/", true), ("/a b", true), ("/a ", false), ("/\t", false)] {
      var other = cookie
      other.path = path
      if isRestorable {
        #expect(try policy.restorable(other, now: .start).path == path)
      } else {
        #expect(throws: CookieRejection.notRestorable) { try policy.restorable(other, now: .start) }
      }
    }
    var prefixed = cookie
    prefixed.name = "__Host-a"
    #expect(throws: CookieRejection.hostPrefix) { try policy.restorable(prefixed, now: .start) }
    let older = CookiePolicy(profile: .rfc6265)
    #expect(try older.restorable(prefixed, now: .start).name == "__Host-a")
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
