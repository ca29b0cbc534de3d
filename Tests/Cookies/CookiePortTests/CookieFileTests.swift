import CookiePort
import Foundation
import SeededRandom
import Testing

/// Cookies that use every field, and text and dates that are hard to encode.
private let awkward: [Cookie] = {
  var cookies = [
    Cookie(name: "a", value: "1", domain: "example.com", creation: .start),
    Cookie(
      name: "sid", value: "\"x, y\"=é\u{1F600}", domain: "example.com", isHostOnly: false,
      path: "/a b;c",
      expires: .start + 0.123_456_789, isSecure: true, isHTTPOnly: true, sameSite: .none,
      creation: Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_7),
      lastAccess: .start + 1 / 3),
    Cookie(name: "e\u{301}", value: "", domain: "::1", sameSite: .strict, creation: .start),
    Cookie(name: "", value: "nameless", domain: "1.2.3.4", sameSite: .lax, creation: .start),
    Cookie(name: "t\tab", value: "t\tab", domain: "a.example", path: "/t\tab", creation: .start),
    Cookie(
      name: "#", value: "#", domain: "a.example", expires: Date(timeIntervalSince1970: 0.5),
      creation: .distantPast),
    Cookie(
      name: "old", value: "-", domain: "a.example", expires: Date(timeIntervalSince1970: -0.5),
      creation: .start),
  ]
  cookies.append(
    Cookie(
      name: "end", value: "1", domain: "a.example", expires: CookieDate.latest, creation: .start))
  return cookies
}()

@Suite("NetscapeCookieFile")
struct NetscapeCookieFileTests {
  private func read(_ text: String) throws(CookieFileError) -> [Cookie] {
    try NetscapeCookieFile.cookies(in: Data(text.utf8), now: .start)
  }

  @Test("encoded cookies are decoded with every field")
  func roundTrip() throws {
    let data = try NetscapeCookieFile.data(for: awkward)
    #expect(try NetscapeCookieFile.cookies(in: data, now: .distantFuture) == awkward)
    #expect(try NetscapeCookieFile.cookies(in: NetscapeCookieFile.data(for: []), now: .start) == [])
  }

  @Test("other programs see seven columns, and no line that they would misread")
  func columns() throws {
    let text = String(decoding: try NetscapeCookieFile.data(for: awkward), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# ") }
    #expect(
      lines == [
        "example.com\tFALSE\t/\tFALSE\t0\ta\t1",
        "#HttpOnly_.example.com\tTRUE\t/a b;c\tTRUE\t1700000000\tsid\t\"x, y\"=é\u{1F600}",
        "::1\tFALSE\t/\tFALSE\t0\te\u{301}\t", "a.example\tFALSE\t/\tFALSE\t1\t#\t#",
        "a.example\tFALSE\t/\tFALSE\t1\told\t-", "a.example\tFALSE\t/\tFALSE\t253402300799\tend\t1",
      ])
    #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
  }

  @Test("every invalid line is reported with its number, and the valid ones are readable")
  func badLines() throws {
    let good = "a.b\tFALSE\t/\tFALSE\t0\tx\ty"
    let lines = [
      good, "a.b FALSE / FALSE 0 x y", "a.b\tFALSE\t/\tFALSE\t0\tx\ty\tz",
      "a b\tFALSE\t/\tFALSE\t0\tx\ty",
      "a.b\tYES\t/\tFALSE\t0\tx\ty", "a.b\tFALSE\t/\t1\t0\tx\ty", "a.b\tFALSE\t/\tFALSE\tnan\tx\ty",
      "a.b\tFALSE\t/\tFALSE\t0x10\tx\ty", "a.b\tFALSE\t/\tFALSE\t1-\tx\ty",
      "a.b\tFALSE\tx\tFALSE\t0\tx\ty", "a.b\tFALSE\t/\tFALSE\t0\t__Secure-x\ty",
      "# swift-contract-testing: {}", good,
    ]
    let error = #expect(throws: CookieFileError.self) { try read(lines.joined(separator: "\n")) }
    let problems = try #require(error?.problems)
    #expect(problems.map(\.position) == Array(2...12))
    #expect(
      problems.map(\.reason).dropLast() == [
        .columns(1), .columns(8), .invalidDomain("a b"), .notAFlag("YES"), .notAFlag("1"),
        .invalidExpiry("nan"), .invalidExpiry("0x10"), .invalidExpiry("1-"),
        .refused(.notRestorable),
        .refused(.securePrefix),
      ])
    guard case .invalidJSON = problems.last?.reason else {
      Issue.record("expected invalidJSON, got \(String(describing: problems.last))")
      return
    }
    #expect(error?.readable.count == 2)
    #expect(error?.description.contains("entry 4 has 'a b' for a domain") == true)
    #expect(Set(problems.map(\.description)).count == problems.count)
  }

  @Test("any text is decoded or rejected, and decoded cookies survive another round trip")
  func anything() throws {
    var random = SplitMix64(seed: 29)
    let pieces = [
      "\t", "\n", "\r\n", "#HttpOnly_", "# ", ".", "a.b", "TRUE", "FALSE", "/", "0", "1", "-", "x",
      "é",
      "# swift-contract-testing: {", "\u{0}", "a.b\tFALSE\t/\tTRUE\t0\tn\tv", "\"",
    ]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0..<30, using: &random))
        .map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
      var cookies: [Cookie]
      do throws(CookieFileError) {
        cookies = try read(text)
      } catch {
        #expect(!error.problems.isEmpty)
        cookies = error.readable
      }
      let data = try NetscapeCookieFile.data(for: cookies)
      #expect(try NetscapeCookieFile.cookies(in: data, now: .distantFuture) == cookies)
    }
  }
}

@Suite("JSONCookieFile")
struct JSONCookieFileTests {
  @Test("the profile decides what is rejected")
  func profile() throws {
    let data = try JSONCookieFile.data(for: [awkward[3]])
    let error = #expect(throws: CookieFileError.self) {
      try JSONCookieFile.cookies(in: data, profile: .rfc6265)
    }
    #expect(error?.problems.map(\.reason) == [.refused(.missingName)])
  }
}
