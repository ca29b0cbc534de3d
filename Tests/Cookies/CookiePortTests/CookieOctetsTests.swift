import CookiePort
import Foundation
import Testing

@Suite("Octets")
struct CookieOctetsTests {
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
