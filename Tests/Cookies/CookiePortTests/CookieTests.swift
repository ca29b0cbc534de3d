import CookiePort
import Foundation
import Testing

@Suite("Cookie")
struct CookieTests {
  private let cookie = Cookie(name: "a", value: "1", domain: "example.com", creation: .start)

  @Test("names are compared by bytes, not by canonical equivalence")
  func bytes() {
    let composed = Cookie(name: "\u{E9}", value: "", domain: "example.com", creation: .start)
    let decomposed = Cookie(name: "e\u{301}", value: "", domain: "example.com", creation: .start)
    #expect(composed.name == decomposed.name)
    #expect(composed.id != decomposed.id)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test("every field counts for equality", arguments: 0..<11)
  func equality(_ field: Int) {
    var other = cookie
    switch field {
    case 0: other.name = "b"
    case 1: other.value = "2"
    case 2: other.domain = "example.org"
    case 3: other.isHostOnly = false
    case 4: other.path = "/x"
    case 5: other.expires = .start
    case 6: other.isSecure = true
    case 7: other.isHTTPOnly = true
    case 8: other.sameSite = .lax
    case 9: other.creation += 1
    default: other.lastAccess += 1
    }
    #expect(other != cookie)
    #expect(cookie == Cookie(name: "a", value: "1", domain: "example.com", creation: .start))
  }

  @Test("the identity is name, domain, host-only flag and path")
  func identity() {
    #expect(cookie.id == Cookie.ID(name: "a", domain: "example.com", isHostOnly: true, path: "/"))
    #expect(cookie.id != Cookie.ID(name: "a", domain: "example.com", isHostOnly: false))
    #expect(cookie.id != Cookie.ID(name: "a", domain: "example.com", path: "/x"))
    #expect(cookie.id != Cookie.ID(name: "A", domain: "example.com"))
    #expect(cookie.id != Cookie.ID(name: "a", domain: "example.org"))
  }

  @Test("a header joins name=value pairs by a semicolon and a space")
  func header() {
    let second = Cookie(name: "b", value: "", domain: "example.com", creation: .start)
    let nameless = Cookie(name: "", value: "x", domain: "example.com", creation: .start)
    #expect(Cookie.header(for: [cookie, second, nameless]) == "a=1; b=; x")
    #expect(Cookie.header(for: []) == nil)
  }
}

@Suite("CookieRejection and the other errors")
struct CookieErrorTests {
  @Test("every rejection has a distinct description", arguments: CookieRejection.allCases)
  func rejections(_ rejection: CookieRejection) {
    let others = CookieRejection.allCases.filter { $0 != rejection }.map(\.description)
    #expect(!others.contains(rejection.description))
    #expect(CookieStoreError.rejected(rejection).description.contains(rejection.description))
  }

  @Test("a storage failure names its subject", arguments: CookieStorageFailure.Kind.allCases)
  func failures(_ kind: CookieStorageFailure.Kind) {
    let failure = CookieStorageFailure(kind, subject: "/x/jar.db", detail: "code 13")
    #expect(CookieStoreError.storage(failure).description.hasPrefix("/x/jar.db: "))
    #expect(failure.description.hasSuffix("(code 13)"))
  }
}
