public import ContractTesting
import CookiePort
import Foundation
import Testing

extension Contract<CookieFileFixture> {
  /// The behaviour of every program that reads and writes cookies as JSON with every field.
  public static let cookieJSONFiles = Contract("cookie-json-files", "JSON cookie file") {
    Clause("round-trip", "what was written is read again, in order", from: "this project") {
      fixture in
      for cookies in [fixture.everyField, []] {
        let data = try fixture.write(cookies)
        checkEqual(try fixture.read(data), cookies, "the cookies read again")
        checkEqual(
          try fixture.write(try fixture.read(data)) == data, true, "whether the bytes are the same")
      }
    }
    Clause(
      "saved-jar", "a jar of the cookies read is the jar that was written", from: "this project"
    ) { fixture in
      let jar = CookieJar(holding: fixture.everyField)
      let read = try fixture.read(try fixture.write(jar.all(now: .distantPast)))
      checkEqual(
        CookieJar(holding: read) == jar, true, "whether the cookies read make the same jar")
      checkEqual(jar.count, read.count, "the number of cookies")
      checkEqual(
        CookieJar(holding: read + read).all(now: .distantPast), read, "the cookies held twice")
      for other in [Array(read.dropLast()), Array(read.reversed()), []] {
        checkEqual(CookieJar(holding: other) == jar, false, "whether another jar is equal")
      }
    }
    Clause("parsed", "other programs read every field", from: "RFC 8259") { fixture in
      let data = try fixture.write(fixture.everyField)
      let document = try #require(
        try JSONSerialization.jsonObject(with: data) as? [String: Any])
      checkEqual(document["version"] as? Int, 1, "the version")
      let cookies = try #require(document["cookies"] as? [[String: Any]])
      checkEqual(
        cookies.map { $0["name"] as? String }, fixture.everyField.map(\.name), "the names")
      checkEqual(
        cookies.map { $0["creation"] as? Double },
        fixture.everyField.map(\.creation.timeIntervalSinceReferenceDate), "the creations")
      checkEqual(
        try fixture.read(try JSONSerialization.data(withJSONObject: document)),
        fixture.everyField, "the cookies that another program wrote")
    }
    Clause("no-date", "a date that is no number is refused", from: "RFC 8259 §6") { fixture in
      let cookie = Cookie(
        name: "a", value: "", domain: "a.b", creation: Date(timeIntervalSince1970: .nan))
      var positions: [Int] = []
      do {
        _ = try fixture.write([cookie])
      } catch let error as CookieFileError { positions = error.problems.map(\.position) }
      checkEqual(positions, [0], "the positions reported for a cookie created at NaN")
    }
    Clause("newer-version", "a newer version is told from damage", from: "this project") {
      fixture in
      for (text, reason) in [
        (#"{"version": 2, "cookies": "in another form"}"#, .newerVersion(2)),
        (#"{"version": 0, "cookies": []}"#, .invalidJSON("unknown version 0")),
      ] as [(String, CookieFileError.Reason)] {
        checkEqual(
          try fixture.report(Data(text.utf8)),
          [CookieFileError.Problem(position: 0, reason: reason)], "the problems of \(text)")
      }
    }
    Clause("no-file", "what is no cookie file is reported as a whole", from: "this project") {
      fixture in
      for text in [
        "", "[]", "{}", #"{"version":1}"#, #"{"version":1.5,"cookies":[]}"#,
        #"{"version":1,"cookies":"# + String(repeating: "[", count: 9999),
      ] {
        let data = Data(text.utf8)
        checkEqual(try fixture.read(data), [], "the cookies of \(describe(text))")
        checkEqual(
          try fixture.report(data).map { "\($0.position) \($0.isInvalidJSON)" }, ["0 true"],
          "the problems of \(describe(text))")
      }
    }
    Clause("bad-cookies", "a bad cookie is reported, and the others are read", from: "this project")
    {
      fixture in
      var cookies = fixture.everyField
      cookies[1].name = "a;b"
      let others = cookies.filter { $0.name != "a;b" }
      let refused = try fixture.write(cookies)
      checkEqual(try fixture.read(refused), others, "the readable cookies")
      checkEqual(
        try fixture.report(refused),
        [CookieFileError.Problem(position: 2, reason: .refused(.notRestorable))], "the problems")
      let text = String(decoding: try fixture.write(fixture.everyField), as: UTF8.self)
      for (sound, damaged) in [
        ("\"strict\"", "\"stern\""), ("\"strict\"", "null"), ("\"::1\"", "5"),
      ] {
        let data = Data(text.replacing(sound, with: damaged).utf8)
        checkEqual(
          try fixture.read(data), fixture.everyField.filter { $0.domain != "::1" },
          "the readable cookies with \(damaged)")
        checkEqual(
          try fixture.report(data).map { "\($0.position) \($0.isInvalidJSON)" }, ["3 true"],
          "the problems with \(damaged)")
      }
    }
  } saboteurs: {
    Saboteur.cookieJSONFiles
  }
}

extension CookieFileError.Problem {
  fileprivate var isInvalidJSON: Bool { if case .invalidJSON = reason { true } else { false } }
}

extension CookieFileFixture {
  /// Cookies that use every field, and text and dates that are hard to encode.
  fileprivate var everyField: [Cookie] {
    [
      Cookie(name: "a", value: "1", domain: "example.com", creation: .distantPast),
      Cookie(
        name: "sid", value: "\"x, y\"=\u{e9}\u{1F600}", domain: "example.com", isHostOnly: false,
        path: "/a b;c", expires: expiry + 0.123_456_789, isSecure: true, isHTTPOnly: true,
        sameSite: .none,
        creation: Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_7),
        lastAccess: expiry - 1 / 3),
      Cookie(
        name: "e\u{301}", value: "", domain: "::1", sameSite: .strict, creation: expiry - 86_400),
      Cookie(
        name: "", value: "nameless", domain: "1.2.3.4", sameSite: .lax, creation: .distantPast),
      Cookie(
        name: "t\tab", value: "t\tab", domain: "a.example", path: "/t\tab", creation: .distantPast),
    ]
  }
}
