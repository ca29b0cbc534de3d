import CookiePort
import Foundation
import Testing

@Suite("Cookie")
struct CookieTests {
  @Test("cookies that differ in one property are not equal")
  func equality() {
    let cookie = Cookie(name: "a", value: "1", domain: "a.b", creation: .start)
    let changes: [(inout Cookie) -> Void] = [
      { $0.name = "b" }, { $0.value = "2" }, { $0.domain = "b.a" }, { $0.isHostOnly.toggle() },
      { $0.path = "/b" }, { $0.expires = .distantFuture }, { $0.isSecure.toggle() },
      { $0.isHTTPOnly.toggle() }, { $0.sameSite = .strict }, { $0.creation += 1 },
      { $0.lastAccess += 1 }, { $0.value = "1\u{301}" },
    ]
    for change in changes {
      var other = cookie
      change(&other)
      #expect(other != cookie)
    }
    #expect(Cookie(name: "a", value: "1", domain: "a.b", creation: .start) == cookie)
  }
}
