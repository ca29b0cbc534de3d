import CookiePort
import Foundation
import Testing

@Suite("Octets and joined fields")
struct CookieOctetsTests {
  @Test("any octets are restored, and different octets are different text")
  func roundTrip() throws {
    var seen: [String: [UInt8]] = [:]
    var random = SystemRandomNumberGenerator()
    let pieces: [[UInt8]] = [
      [0x41], [0xC3, 0xA9], [0xE9], [0x80], [0xF4, 0x8F, 0x9E, 0x80], [0xF4, 0x8F, 0x9F], [0xBF],
      [0xF0, 0x9F, 0x8D, 0xAA], [0xED, 0xA0, 0x80], [0xF4], [0x8F], [0x9E],
    ]
    for _ in 0..<3000 {
      let octets = (0...Int.random(in: 0..<6, using: &random)).flatMap { _ in
        pieces[Int.random(in: pieces.indices, using: &random)]
      }
      let cookie = Cookie(
        name: "", value: String(octets: octets), domain: "a.b", creation: .start)
      #expect(Cookie.headerOctets(for: [cookie]) == octets)
      #expect(seen.updateValue(octets, forKey: cookie.value) ?? octets == octets)
    }
  }

  @Test("valid UTF-8 is the same text as its octets")
  func utf8() {
    for text in ["", "a=1", "é", "e\u{301}", "日本 🍪"] {
      #expect(Array(String(octets: Array(text.utf8)).utf8) == Array(text.utf8))
    }
  }

  @Test("a cookie of 4,096 octets can be restored, one octet more can't")
  func sizes() throws {
    for (count, isValid) in [(4095, true), (4096, false)] {
      let value = String(octets: [UInt8](repeating: 0xFF, count: count))
      let cookie = Cookie(name: "a", value: value, domain: "a.b", creation: .start)
      var jar = CookieJar()
      #expect(((try? jar.restore([cookie], now: .start)) != nil) == isValid)
    }
  }

  @Test("octets that are not UTF-8 survive both file formats")
  func files() throws {
    let cookie = Cookie(
      name: "a", value: String(octets: [0xE9, 0x80]), domain: "a.b", creation: .start)
    #expect(try JSONCookieFile.cookies(in: JSONCookieFile.data(for: [cookie])) == [cookie])
    let text = try NetscapeCookieFile.data(for: [cookie])
    #expect(try NetscapeCookieFile.cookies(in: text, now: .start) == [cookie])
    // Other programs find no line that they would misread.
    #expect(!String(decoding: text, as: UTF8.self).contains("\t"))
  }

  @Test(
    "joined fields are split before a name and an equals sign only",
    arguments: [
      ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2 , c = 3", ["a=1", "b=2", "c = 3"]),
      (
        "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/, b=2; expires=Wed, 21-Oct-37 07:28:00 GMT, c=3",
        [
          "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/",
          "b=2; expires=Wed, 21-Oct-37 07:28:00 GMT", "c=3",
        ]
      ),
      ("a=x, y; Secure", ["a=x, y; Secure"]), ("a=1", ["a=1"]), ("", []), (" , a=1", ["a=1"]),
      ("a=1,, b=2", ["a=1,", "b=2"]), ("a=é, ü=1", ["a=é, ü=1"]), ("a=1, b", ["a=1, b"]),
    ])
  func joined(_ fields: String, _ lines: [String]) {
    #expect(Cookie.lines(ofJoined: fields) == lines)
  }
}
