import CookiePort
import Foundation
import Testing

@Suite("Octets")
struct CookieOctetsTests {
  @Test("text in UTF-8 is itself, up to the scalars that stand for octets")
  func text() {
    for text in ["é", "\u{10F000}", "\u{100780}", "\u{10E780}", "\u{10F77F}", "\u{10FFFF}"] {
      #expect(String(octets: Array(text.utf8)) == text)
      let cookie = Cookie(name: "", value: text, domain: "a.b", creation: .start)
      #expect(Cookie.headerOctets(for: [cookie]) == Array(text.utf8))
    }
    #expect(String(octets: [0x80, 0xFF]) == "\u{10F780}\u{10F7FF}")
    #expect(String(octets: Array("\u{10F780}".utf8)) != "\u{10F780}")
  }

  @Test("any octets are restored, and different octets are different text")
  func roundTrip() throws {
    var seen: [String: [UInt8]] = [:]
    var random = SystemRandomNumberGenerator()
    let pieces: [[UInt8]] = [
      [0x41], [0xC3, 0xA9], [0xE9], [0x80], [0xF4, 0x8F, 0x9E, 0x80], [0xF4, 0x8F, 0x9F], [0xBF],
      [0xF4, 0x8F, 0x80, 0x80],
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
}
