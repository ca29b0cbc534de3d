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

  /// The cookies of a file's valid lines.
  private func readable(_ data: Data) -> [Cookie] {
    do throws(CookieFileError) {
      return try NetscapeCookieFile.cookies(in: data, now: .distantPast)
    } catch {
      return error.readable
    }
  }

  /// What is wrong with a file.
  private func problems(_ data: Data) -> [CookieFileError.Problem] {
    do throws(CookieFileError) {
      _ = try NetscapeCookieFile.cookies(in: data, now: .distantPast)
      return []
    } catch {
      return error.problems
    }
  }

  @Test("each kind of problem has a text of its own with the position")
  func texts() throws {
    let lines = [
      "a.b FALSE / FALSE 0 x y", "a b\tFALSE\t/\tFALSE\t0\tx\ty",
      "a.b\tYES\t/\tFALSE\t0\tx\ty", "a.b\tFALSE\t/\tFALSE\tnan\tx\ty",
      "a.b\tFALSE\tx\tFALSE\t0\tx\ty", "# swift-contract-testing: {}",
    ]
    let error = #expect(throws: CookieFileError.self) { try read(lines.joined(separator: "\n")) }
    let problems = try #require(error?.problems)
    #expect(Set(problems.map(\.description)).count == lines.count)
    #expect(error?.description.contains("entry 2 has 'a b' for a domain") == true)
  }

  @Test("fields and text that have no column are written too, and read unless the line was edited")
  func everyField() throws {
    let cookies = [
      Cookie(
        name: "a", value: "1", domain: "example.com", expires: .start + 0.25, sameSite: .strict,
        creation: .start - 300 * 86_400.5, lastAccess: .start - 300 * 86_400),
      Cookie(name: "", value: "nameless", domain: "example.com", creation: .distantPast),
      Cookie(name: "t\tb", value: "t\tb", domain: "a.example", creation: .distantPast),
      Cookie(name: "o", value: "\u{10F7E9}", domain: "a.example", creation: .distantPast),
      Cookie(
        name: "old", value: "1", domain: "a.example", expires: Date(timeIntervalSince1970: -0.5),
        creation: .distantPast),
    ]
    let text = String(decoding: try NetscapeCookieFile.data(for: cookies), as: UTF8.self)
    #expect(try NetscapeCookieFile.cookies(in: Data(text.utf8), now: .distantPast) == cookies)
    let edited = try NetscapeCookieFile.cookies(
      in: Data(text.replacing("\ta\t1\n", with: "\ta\t2\n").utf8), now: .distantPast)
    #expect(edited.first { $0.name == "a" }?.value == "2")
    #expect(edited.first { $0.name == "a" }?.sameSite == .unspecified)
    let lines = text.split(separator: "\n")
    // An expiry of 0 means a session cookie.
    #expect(
      lines.filter { !$0.hasPrefix("#") } == [
        "example.com\tFALSE\t/\tFALSE\t\(Int(Date.start.timeIntervalSince1970))\ta\t1",
        "a.example\tFALSE\t/\tFALSE\t1\told\t1",
      ])
    let (comment, line) = (Data(lines[1].utf8), Data(lines[2].utf8))
    for between in [Data("\n\n".utf8), Data("\nbad\n".utf8), Data([0x0a, 0xff, 0x0a])] {
      #expect(readable(comment + between + line).map(\.sameSite) == [.unspecified])
    }
    #expect(readable(comment) == [])
    #expect(
      lines[1].contains(#""domain":"example.com","expires":"#)
        && lines[1].contains(#""path":"/","#))
    let injected = Cookie(name: "a", value: "1\nx", domain: "a.b", creation: .distantPast)
    let written = String(decoding: try NetscapeCookieFile.data(for: [injected]), as: UTF8.self)
    #expect(written.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
  }

  @Test("each bad line is reported with its number, and the others are read")
  func reported() {
    let good = "a.b\tFALSE\t/\tFALSE\t0\tx\ty"
    let bad: [(String, CookieFileError.Reason)] = [
      ("a.b FALSE / FALSE 0 x y", .columns(1)), (good + "\tz", .columns(8)),
      ("a b\tFALSE\t/\tFALSE\t0\tx\ty", .invalidDomain("a b")),
      ("a.b\tYES\t/\tFALSE\t0\tx\ty", .notAFlag("YES")),
      ("a.b\tFALSE\t/\t1\t0\tx\ty", .notAFlag("1")),
      ("a.b\tFALSE\t/\tFALSE\tnan\tx\ty", .invalidExpiry("nan")),
      ("a.b\tFALSE\t/\tFALSE\t0x10\tx\ty", .invalidExpiry("0x10")),
      ("a.b\tFALSE\t/\tFALSE\t1-\tx\ty", .invalidExpiry("1-")),
      ("a.b\tFALSE\t/\tFALSE\t1e3\tx\ty", .invalidExpiry("1e3")),
      ("a.b\tFALSE\tx\tFALSE\t0\tx\ty", .refused(.notRestorable)),
      ("a.b\tFALSE\t/\tFALSE\t0\t__Secure-x\ty", .refused(.securePrefix)),
    ]
    let data = Data(([good] + bad.map(\.0) + [good]).joined(separator: "\n").utf8)
    #expect(
      problems(data)
        == bad.enumerated().map { .init(position: $0.offset + 2, reason: $0.element.1) })
    #expect(readable(data).count == 2)
    #expect(
      problems(Data("a.b\n".utf8) + [0xff, 0x0a]) == [
        .init(position: 1, reason: .columns(1)), .init(position: 2, reason: .notUTF8),
      ])
    #expect(problems(Data("# swift-contract-testing: {}".utf8)).map(\.position) == [1])
    #expect(problems(Data("\n \t \r\n# c\n\(good)".utf8)) == [])
  }

  @Test("files of editors and wget(1) are read: byte order mark, fractions, ports of domains")
  func otherPrograms() {
    let line = Data("a.b\tFALSE\t/\tFALSE\t0\tx\ty".utf8)
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    #expect(readable(Data(mark) + line).map(\.domain) == ["a.b"])
    #expect(problems(Data(mark) + Data("# a comment\n".utf8)) == [])
    #expect(readable(Data(mark) + Data("#HttpOnly_".utf8) + line).map(\.isHTTPOnly) == [true])
    for (text, expiry) in [
      ("-5", Date(timeIntervalSince1970: -5)), ("-99999999999999", CookieDate.earliest),
      ("99999999999999", CookieDate.latest),
    ] {
      let data = Data("a.b\tFALSE\t/\tFALSE\t\(text)\tx\ty".utf8)
      #expect(readable(data).map(\.expires) == [expiry], "\(text)")
    }
    for (index, byte) in [(0, 0xee), (1, 0xba), (2, 0xbe), (0, 0xf0), (1, 0xbc), (2, 0xc0)] {
      var other = mark
      other[index] = UInt8(byte)
      #expect(!readable(Data(other) + line).contains { $0.domain == "a.b" })
    }
    let found = readable(
      Data(
        """
        d.example\tFALSE\t/\tFALSE\t\(Int(Date.start.timeIntervalSince1970)).5\t\tnameless
        b\u{fc}cher.example\tFALSE\t/\tFALSE\t\te
        """.utf8))
    #expect(found.map(\.name) == ["", "e"] && found.map(\.value) == ["nameless", ""])
    #expect(found.map(\.domain) == ["d.example", "xn--bcher-kva.example"])
    #expect(found.map(\.expires) == [.start + 0.5, nil])
    for (column, host) in [
      ("example.com:8080", "example.com"), (".example.com:8080", "example.com"),
      ("192.0.2.1:80", "192.0.2.1"), ("::1:80", "::1:80"), ("[::1]", "::1"),
      ("example.com:", nil), ("example.com:http", nil), (":80", nil),
      ("example.com:80:80", nil), ("[::1]:80", nil), ("example.com::80", nil),
    ] {
      let data = Data((column + "\tFALSE\t/\tFALSE\t0\ta\t1").utf8)
      #expect(readable(data).map(\.domain) == (host.map { [$0] } ?? []), "\(column)")
    }
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
  private func failure(of data: Data) -> CookieFileError? {
    do throws(CookieFileError) {
      _ = try JSONCookieFile.cookies(in: data)
      return nil
    } catch {
      return error
    }
  }

  @Test("what was written is read again, in order, and written to the same bytes")
  func roundTrip() throws {
    let octets = Cookie(
      name: "o", value: String(octets: [0xE9, 0x80]), domain: "a.b", creation: .start)
    for cookies in [awkward + [octets], []] {
      let data = try JSONCookieFile.data(for: cookies)
      #expect(try JSONCookieFile.cookies(in: data) == cookies)
      #expect(try JSONCookieFile.data(for: JSONCookieFile.cookies(in: data)) == data)
    }
    let jar = CookieJar(holding: awkward)
    let saved = try JSONCookieFile.data(for: jar.all(now: .distantPast))
    let read = try JSONCookieFile.cookies(in: saved)
    #expect(CookieJar(holding: read) == jar && jar.count == awkward.count)
    for other in [Array(read.dropLast()), read.reversed(), []] {
      #expect(CookieJar(holding: other) != jar)
    }
  }

  @Test("other programs read and write every field")
  func otherPrograms() throws {
    let data = try JSONCookieFile.data(for: awkward)
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(document["version"] as? Int == 1)
    let cookies = try #require(document["cookies"] as? [[String: Any]])
    #expect(cookies.map { $0["name"] as? String } == awkward.map(\.name))
    #expect(
      cookies.map { $0["creation"] as? Double }
        == awkward.map(\.creation.timeIntervalSinceReferenceDate))
    let written = try JSONSerialization.data(withJSONObject: document)
    #expect(try JSONCookieFile.cookies(in: written) == awkward)
  }

  @Test("a date that is not a number can't be written")
  func noDate() {
    let cookie = Cookie(
      name: "a", value: "", domain: "a.b", creation: Date(timeIntervalSince1970: .nan))
    let error = #expect(throws: CookieFileError.self) { try JSONCookieFile.data(for: [cookie]) }
    #expect(error?.problems.map(\.position) == [0])
  }

  @Test("a newer version is distinguished from damage")
  func versions() {
    for (text, reason) in [
      (#"{"version": 2, "cookies": "in another form"}"#, .newerVersion(2)),
      (#"{"version": 0, "cookies": []}"#, .invalidJSON("unknown version 0")),
    ] as [(String, CookieFileError.Reason)] {
      #expect(
        failure(of: Data(text.utf8))?.problems
          == [CookieFileError.Problem(position: 0, reason: reason)])
    }
  }

  @Test(
    "a text that is not a cookie file is one problem of the whole file",
    arguments: [
      "", "[]", "{}", #"{"version":1}"#, #"{"version":1.5,"cookies":[]}"#,
      #"{"version":1,"cookies":"# + String(repeating: "[", count: 9999),
    ])
  func noFile(_ text: String) throws {
    let error = try #require(failure(of: Data(text.utf8)))
    #expect(error.readable == [])
    #expect(error.problems.map(\.position) == [0] && error.problems[0].isInvalidJSON)
  }

  @Test("a bad cookie is reported with its position, and the others are read")
  func badCookies() throws {
    var cookies = awkward
    cookies[1].name = "a;b"
    let refused = try #require(failure(of: JSONCookieFile.data(for: cookies)))
    #expect(refused.readable == awkward.filter { $0.name != "sid" })
    #expect(
      refused.problems
        == [CookieFileError.Problem(position: 2, reason: .refused(.notRestorable))])
    let text = String(decoding: try JSONCookieFile.data(for: awkward), as: UTF8.self)
    for (sound, damaged) in [
      ("\"strict\"", "\"stern\""), ("\"strict\"", "null"), ("\"::1\"", "5"),
    ] {
      let error = try #require(failure(of: Data(text.replacing(sound, with: damaged).utf8)))
      #expect(error.readable == awkward.filter { $0.domain != "::1" }, "\(damaged)")
      #expect(error.problems.map(\.position) == [3] && error.problems[0].isInvalidJSON)
    }
  }

  @Test("the profile decides what is rejected")
  func profile() throws {
    let data = try JSONCookieFile.data(for: [awkward[3]])
    let error = #expect(throws: CookieFileError.self) {
      try JSONCookieFile.cookies(in: data, profile: .rfc6265)
    }
    #expect(error?.problems.map(\.reason) == [.refused(.missingName)])
  }
}

extension CookieFileError.Problem {
  fileprivate var isInvalidJSON: Bool { if case .invalidJSON = reason { true } else { false } }
}
