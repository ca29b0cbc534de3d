public import ContractTesting
import CookiePort
import Foundation
import Testing

private let source = "curl.se, The Netscape cookie file format"

/// Creates a cookie of a file, whose creation doesn't matter.
private func cookie(
  _ name: String, _ value: String, of domain: String, isHostOnly: Bool = true, path: String = "/",
  until expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false
) -> Cookie {
  Cookie(
    name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires,
    isSecure: isSecure, isHTTPOnly: isHTTPOnly, creation: .distantPast)
}

extension Contract<CookieFileFixture> {
  /// The behaviour of every program that reads and writes Netscape cookie files.
  public static let cookieFiles = Contract(
    "cookie-files", "Netscape cookie file", leavesOthersToMutants: true
  ) {
    Clause(
      "columns", "a line has domain, flag for subdomains, path, Secure, expiry, name and value",
      from: source
    ) { fixture in
      try fixture.expect(
        [
          cookie("a", "1", of: "example.com"),
          cookie(
            "b", "x, y=z", of: "example.com", isHostOnly: false, path: "/docs", isSecure: true),
          cookie("c", "3", of: "c.example", isHostOnly: false, until: fixture.expiry),
          cookie("d", "4", of: "192.0.2.1", until: fixture.expiry - 1),
        ],
        in: [
          "example.com\tFALSE\t/\tFALSE\t0\ta\t1", ".example.com\tTRUE\t/docs\tTRUE\t0\tb\tx, y=z",
          "c.example\tTRUE\t/\tFALSE\t\(fixture.seconds)\tc\t3",
          "192.0.2.1\tFALSE\t/\tFALSE\t\(Int(fixture.expiry.timeIntervalSince1970) - 1)\td\t4",
        ])
      try fixture.expect([], in: [])
    }
    Clause("http-only", "the prefix #HttpOnly_ marks a cookie as HttpOnly", from: source) {
      try $0.expect(
        [
          cookie("a", "1", of: "example.com", isHTTPOnly: true),
          cookie("b", "2", of: "example.com", isHostOnly: false, isHTTPOnly: true),
        ],
        in: [
          "#HttpOnly_example.com\tFALSE\t/\tFALSE\t0\ta\t1",
          "#HttpOnly_.example.com\tTRUE\t/\tFALSE\t0\tb\t2",
        ])
    }
    Clause("comments", "other lines that begin with # are ignored, and empty ones", from: source) {
      try $0.expect(
        [cookie("a", "#1", of: "example.com")],
        in: [
          "# Netscape HTTP Cookie File", "", "#example.org\tFALSE\t/\tFALSE\t0\tb\t2",
          "# example.org\tFALSE\t/\tFALSE\t0\tb\t2", "example.com\tFALSE\t/\tFALSE\t0\ta\t#1", "",
        ])
    }
    Clause("line-ends", "lines may end in CR LF", from: source) {
      try $0.expect(
        [cookie("a", "1", of: "example.com"), cookie("b", "2", of: "example.com")],
        in: [
          "example.com\tFALSE\t/\tFALSE\t0\ta\t1", "", "example.com\tFALSE\t/\tFALSE\t0\tb\t2",
        ], endingIn: "\r\n")
    }
    Clause("empty-value", "a value may be empty, with or without the TAB before it", from: source) {
      try $0.expect(
        [cookie("a", "", of: "example.com"), cookie("b", "", of: "example.com")],
        in: ["example.com\tFALSE\t/\tFALSE\t0\ta\t", "example.com\tFALSE\t/\tFALSE\t0\tb"])
    }
    Clause("flags", "TRUE and FALSE are case-insensitive", from: source) {
      try $0.expect(
        [
          cookie("a", "1", of: "example.com", isHostOnly: false),
          cookie("b", "2", of: "example.com", isSecure: true),
        ],
        in: [
          "example.com\ttrue\t/\tfalse\t0\ta\t1", "example.com\tFalse\t/\tTrue\t0\tb\t2",
        ])
    }
    Clause("bad-lines", "a line with fewer or more columns doesn't hide the others", from: source) {
      try $0.expect(
        [cookie("a", "1", of: "example.com"), cookie("z", "2", of: "example.com")],
        in: [
          "example.com\tFALSE\t/\tFALSE\t0\ta\t1", "example.com", "example.com\tFALSE\t/\tFALSE\t0",
          "example.com\tFALSE\t/\tFALSE\t0\tb\t1\tx", "example.com\tFALSE\t/\tFALSE\t0\tz\t2",
        ])
    }
    Clause("written", "a written file has the heading and a line for each cookie", from: source) {
      fixture in
      let data = try fixture.write([
        cookie("a", "1", of: "example.com", until: fixture.expiry, isSecure: true),
        cookie("b", "", of: "example.com", isHostOnly: false, path: "/docs", isHTTPOnly: true),
      ])
      checkEqual(data.last, UInt8(ascii: "\n"), "the last byte")
      let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
      checkEqual(lines.first, "# Netscape HTTP Cookie File", "the first line")
      checkEqual(
        lines.filter { !$0.hasPrefix("# ") }.sorted(),
        [
          "#HttpOnly_.example.com\tTRUE\t/docs\tFALSE\t0\tb\t",
          "example.com\tFALSE\t/\tTRUE\t\(fixture.seconds)\ta\t1",
        ], "the lines of cookies")
    }
    Clause("round-trip", "what was written is read again", from: source) { fixture in
      let cookies = [
        cookie("a", "\"x, y\"=é\u{1F600}", of: "example.com", until: fixture.expiry),
        cookie("b", "", of: "192.0.2.1", path: "/a b", isSecure: true, isHTTPOnly: true),
        cookie("#c", "#", of: "a.example", isHostOnly: false, isHTTPOnly: true),
      ]
      let found = try fixture.read(try fixture.write(cookies))
      checkEqual(fixture.inColumns(found), fixture.inColumns(cookies), "the cookies read again")
    }
    Clause(
      "every-field", "fields and text that have no column are written too, and read unless edited",
      from: "this project"
    ) { fixture in
      let cookies = [
        Cookie(
          name: "a", value: "1", domain: "example.com", expires: fixture.expiry + 0.25,
          sameSite: .strict, creation: fixture.expiry - 300 * 86_400.5,
          lastAccess: fixture.expiry - 300 * 86_400),
        Cookie(name: "", value: "nameless", domain: "example.com", creation: .distantPast),
        Cookie(name: "t\tb", value: "t\tb", domain: "a.example", creation: .distantPast),
        Cookie(name: "o", value: "\u{10F7E9}", domain: "a.example", creation: .distantPast),
        Cookie(
          name: "old", value: "1", domain: "a.example", expires: Date(timeIntervalSince1970: -0.5),
          creation: .distantPast),
      ]
      let data = try fixture.write(cookies)
      checkEqual(try fixture.read(data), cookies, "the cookies with every field")
      let text = String(decoding: data, as: UTF8.self)
      let edited = try fixture.read(Data(text.replacing("\ta\t1\n", with: "\ta\t2\n").utf8))
      checkEqual(edited.first { $0.name == "a" }?.value, "2", "the value in the edited line")
      checkEqual(
        edited.first { $0.name == "a" }?.sameSite, .unspecified, "SameSite of the edited line")
      let columns = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      checkEqual(
        columns,
        [
          "example.com\tFALSE\t/\tFALSE\t\(fixture.seconds)\ta\t1",
          // An expiry of 0 means a session cookie.
          "a.example\tFALSE\t/\tFALSE\t1\told\t1",
        ], "the lines that other programs read")
      let lines = text.split(separator: "\n")
      let (comment, line) = (Data(lines[1].utf8), Data(lines[2].utf8))
      checkEqual(try fixture.read(comment), [], "the cookies of a comment alone")
      for (what, between) in [
        ("an empty line", Data("\n\n".utf8)), ("a bad line", Data("\nbad\n".utf8)),
        ("a line that is not UTF-8", Data([0x0a, 0xff, 0x0a])),
      ] {
        checkEqual(
          try fixture.read(comment + between + line).map(\.sameSite), [.unspecified],
          "SameSite with \(what) between comment and line")
      }
    }
    Clause(
      "reported", "each bad line is reported with its number", from: "this project",
      requires: .reports
    ) { fixture in
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
      let lines = [good] + bad.map(\.0) + [good]
      let data = Data(lines.joined(separator: "\n").utf8)
      let expected = bad.enumerated().map {
        CookieFileError.Problem(position: $0.offset + 2, reason: $0.element.1)
      }
      checkEqual(try fixture.report(data), expected, "the problems")
      checkEqual(try fixture.read(data).count, 2, "the number of readable cookies")
      checkEqual(
        try fixture.report(Data("a.b\n".utf8) + [0xff, 0x0a]),
        [
          CookieFileError.Problem(position: 1, reason: .columns(1)),
          CookieFileError.Problem(position: 2, reason: .notUTF8),
        ], "the problems with a line that is not UTF-8")
      let comment = try fixture.report(Data("# swift-contract-testing: {}".utf8))
      checkEqual(comment.map(\.position), [1], "the line of a bad comment of this package")
      checkEqual(try fixture.report(Data("\n \t \r\n# c\n\(good)".utf8)), [], "no problems")
    }
    Absence(of: .reports, "nothing is said about a bad line") { fixture in
      checkEqual(try fixture.report(Data("a.b".utf8)), [], "the problems of a bad line")
    }
    Clause(
      "other-programs", "files of editors and wget(1) are read", from: "wget(1)",
      requires: .lenience
    ) { fixture in
      for mark in [
        [0xef, 0xbb, 0xbf], [0xee, 0xbb, 0xbf], [0xef, 0xba, 0xbf], [0xef, 0xbb, 0xbe],
        [0xf0, 0xbb, 0xbf], [0xef, 0xbc, 0xbf], [0xef, 0xbb, 0xc0],
      ]
        as [[UInt8]]
      {
        let data = Data(mark) + Data("a.b\tFALSE\t/\tFALSE\t0\tx\ty".utf8)
        checkEqual(
          try fixture.read(data).contains { $0.domain == "a.b" }, mark == [0xef, 0xbb, 0xbf],
          "whether the domain behind the bytes \(mark) is read")
      }
      try fixture.expect(
        [
          cookie("", "nameless", of: "d.example", until: fixture.expiry + 0.5),
          cookie("e", "", of: "xn--bcher-kva.example"),
        ],
        in: [
          "d.example\tFALSE\t/\tFALSE\t\(fixture.seconds).5\t\tnameless",
          "b\u{fc}cher.example\tFALSE\t/\tFALSE\t\te",
        ])
      let rest = "\tFALSE\t/\tFALSE\t0\ta\t1"
      for (column, host) in [
        ("example.com:8080", "example.com"), (".example.com:8080", "example.com"),
        ("192.0.2.1:80", "192.0.2.1"), ("::1:80", "::1:80"), ("[::1]", "::1"),
        ("example.com:", nil), ("example.com:http", nil), (":80", nil),
        ("example.com:80:80", nil), ("[::1]:80", nil), ("example.com::80", nil),
      ] {
        let found = try fixture.read(Data((column + rest).utf8)).map(\.domain)
        checkEqual(found, host.map { [$0] } ?? [], "the host of \(column)")
      }
    }
    Absence(of: .lenience, "a byte order mark is part of the first line") { fixture in
      let data = Data([0xef, 0xbb, 0xbf]) + Data("a.b\tFALSE\t/\tFALSE\t0\tx\ty".utf8)
      checkEqual(
        try fixture.read(data).filter { $0.domain == "a.b" }, [], "the cookies behind the mark")
    }
  } saboteurs: {
    Saboteur.cookieFiles
  }
}
