import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("SetCookie")
struct SetCookieTests {
  @Test("unknown attributes leave SameSite as it is")
  func unknown() throws {
    let line = try SetCookie("a=1; SameSite=Lax; Priority=High; Foo; =x", profile: .rfc6265bis)
    #expect(line.sameSite == .lax && line.value == "1")
  }

  @Test("any line is rejected, or its name and value parse to themselves")
  func anything() throws {
    var random = SplitMix64(seed: 7)
    let pieces = [
      "=", ";", " ", "\t", "a", "é", "\u{301}", "\u{0}", ",", "\"", "%3B", "; Path=/", "; Expires=",
      "1 Jan 2030 00:00:00", "; Max-Age=", "9", "-", "; Domain=", ".", "; Secure", "__Host-",
      "\u{1F600}",
    ]
    for _ in 0..<20_000 {
      let length = Int.random(in: 0..<12, using: &random)
      let line = (0..<length).map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }
        .joined()
      for profile in CookiePolicy.Profile.allCases {
        guard let cookie = try? SetCookie(line, profile: profile) else { continue }
        // The name and value, written as a line, parse to the same name and value.
        let again = try SetCookie("\(cookie.name)=\(cookie.value)", profile: profile)
        #expect(again.name.hasSameBytes(as: cookie.name))
        #expect(again.value.hasSameBytes(as: cookie.value))
        #expect(!cookie.name.utf8.contains(UInt8(ascii: "=")))
        #expect(!(cookie.name + cookie.value).utf8.contains(UInt8(ascii: ";")))
      }
    }
  }
}
