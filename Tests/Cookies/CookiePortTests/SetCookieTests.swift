import CookiePort
import Foundation
import SeededRandom
import Testing

@Suite("SetCookie")
struct SetCookieTests {
  private func parse(
    _ line: String, _ profile: CookiePolicy.Profile = .rfc6265bis
  ) throws(CookieRejection) -> SetCookie {
    try SetCookie(line, profile: profile)
  }

  @Test(
    "name and value are separated by the first equals sign before the first semicolon",
    arguments: [
      ("a=1", "a", "1"), ("a=b=c", "a", "b=c"), (" \ta \t= \t1 2\t 3 \t; x", "a", "1 2\t 3"),
      ("a=", "a", ""), ("=b", "", "b"), ("token", "", "token"), ("token;a=1", "", "token"),
      ("a=\"x y\"", "a", "\"x y\""), ("a=%41", "a", "%41"), ("a=1, b=2", "a", "1, b=2"),
      ("é=ü", "é", "ü"), ("a=1;\u{301}", "a", "1"), ("a=\u{301}x", "a", "\u{301}x"),
      ("A=1", "A", "1"),
      ("a\u{A0}=1", "a\u{A0}", "1"),
    ])
  func pairs(_ line: String, _ name: String, _ value: String) throws {
    let cookie = try parse(line)
    #expect(cookie.name.hasSameBytes(as: name))
    #expect(cookie.value.hasSameBytes(as: value))
  }

  @Test("a line with a control character anywhere is rejected, except TAB")
  func controls() throws {
    for control in (UInt8(0)...0x1F).filter({ $0 != 9 }) + [0x7F] {
      let character = String(UnicodeScalar(control))
      for line in [
        "a\(character)=1", "a=1\(character)", "a=1; Path=/\(character)", "a=1;\(character)",
      ] {
        for profile in CookiePolicy.Profile.allCases {
          #expect(throws: CookieRejection.controlCharacter) { try parse(line, profile) }
        }
      }
    }
    #expect(try parse("a=1\t2").value == "1\t2")
    #expect(try parse("a=\u{80}").value == "\u{80}")
  }

  @Test(
    "a cookie without name and value is rejected",
    arguments: ["", "=", " ; x"])
  func empty(_ line: String) {
    #expect(throws: CookieRejection.emptyNameAndValue) { try parse(line) }
  }

  @Test(
    "RFC 6265 requires a name and an equals sign", arguments: ["token", "=1", " =1", "", "; a=1"])
  func named(_ line: String) {
    #expect(throws: CookieRejection.missingName) { try parse(line, .rfc6265) }
  }

  @Test("name and value may have 4,096 bytes together, any number in RFC 6265")
  func size() throws {
    let fits = "abc=" + String(repeating: "é", count: 2046) + "x"
    #expect(try parse(fits).value.utf8.count == 4093)
    #expect(throws: CookieRejection.tooLarge) { try parse(fits + "x") }
    #expect(try parse(fits + "x", .rfc6265).value.utf8.count == 4094)
    #expect(try parse("a= " + String(repeating: "x", count: 4095) + " ").value.utf8.count == 4095)
  }

  @Test("an attribute value over 1,024 bytes is ignored and doesn't override an earlier one")
  func attributeSize() throws {
    let fits = "/" + String(repeating: "x", count: 1023)
    #expect(try parse("a=1; Path=/y; Path=\(fits)").path == fits)
    #expect(try parse("a=1; Path=/y; Path=\(fits)x").path == "/y")
    #expect(try parse("a=1; Path=/y; Path=\(fits)x", .rfc6265).path == fits + "x")
  }

  @Test("attribute names are case-insensitive and trimmed, and unknown ones are ignored")
  func attributeNames() throws {
    let cookie = try parse(
      "a=1; SECURE; httponly=no ;\tpAtH\t=\t/x y\t; samesite=STRICT; Foo=bar; ;=;")
    #expect(
      cookie.isSecure && cookie.isHTTPOnly && cookie.path == "/x y" && cookie.sameSite == .strict)
    let other = try parse("a=1; Secur; Secure1; Http-Only; SameSit=Lax")
    #expect(!other.isSecure && !other.isHTTPOnly && other.sameSite == .unspecified)
  }

  @Test("the last of several attributes applies")
  func last() throws {
    let cookie = try parse(
      "a=1; Path=/x; Path=/y; Domain=a.b; Domain=c.d; Max-Age=1; Max-Age=2; SameSite=None; SameSite=Lax"
    )
    #expect(cookie.path == "/y" && cookie.domain == "c.d" && cookie.maxAge == 2)
    #expect(cookie.sameSite == .lax)
    #expect(try parse("a=1; Path=/x; Path=y").path == nil)
    #expect(try parse("a=1; SameSite=Strict; SameSite=what").sameSite == .unspecified)
  }

  @Test("an invalid date or age is ignored and doesn't override an earlier one")
  func badLifetimes() throws {
    let cookie = try parse(
      "a=1; Expires=1 Jan 1970 00:00:01; Expires=never; Max-Age=5; Max-Age=x; Max-Age=")
    #expect(cookie.expires == Date(timeIntervalSince1970: 1) && cookie.maxAge == 5)
  }

  @Test(
    "Max-Age is digits with an optional minus sign",
    arguments: [
      ("0", 0), ("60", 60), ("-1", -1), ("007", 7), ("-0", 0), ("9223372036854775807", Int.max),
      ("9223372036854775808", Int.max), ("-99999999999999999999999", Int.min),
      (String(repeating: "9", count: 1000), Int.max), ("", nil), ("-", nil), ("+1", nil),
      ("1.5", nil),
      ("1 2", nil), ("--1", nil), ("1e3", nil), ("0x10", nil), ("１", nil), ("\"1\"", nil),
    ])
  func maxAge(_ text: String, _ seconds: Int?) throws {
    #expect(try parse("a=1; Max-Age=\(text)").maxAge == seconds)
  }

  @Test(
    "one leading dot of Domain is stripped, and it is lowercased",
    arguments: [
      ("Example.COM", "example.com"), (".example.com", "example.com"),
      ("..example.com", ".example.com"),
      (".", ""), ("", ""), ("example.com.", "example.com."),
    ])
  func domain(_ text: String, _ domain: String) throws {
    #expect(try parse("a=1; Domain=\(text)").domain == domain)
  }

  @Test("an empty Domain overrides an earlier one, except in RFC 6265")
  func emptyDomain() throws {
    #expect(try parse("a=1; Domain=a.b; Domain=").domain == "")
    #expect(try parse("a=1; Domain=a.b; Domain=", .rfc6265).domain == "a.b")
  }

  @Test("RFC 6265 ignores SameSite")
  func noSameSite() throws {
    #expect(try parse("a=1; SameSite=Strict", .rfc6265).sameSite == .unspecified)
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
        guard let cookie = try? parse(line, profile) else { continue }
        // The name and value, written as a line, parse to the same name and value.
        let again = try parse("\(cookie.name)=\(cookie.value)", profile)
        #expect(again.name.hasSameBytes(as: cookie.name))
        #expect(again.value.hasSameBytes(as: cookie.value))
        #expect(!cookie.name.utf8.contains(UInt8(ascii: "=")))
        #expect(!(cookie.name + cookie.value).utf8.contains(UInt8(ascii: ";")))
      }
    }
  }
}
