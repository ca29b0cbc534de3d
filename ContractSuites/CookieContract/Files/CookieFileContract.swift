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
  public static let cookieFiles: Self = Contract(
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
          cookie("c", "3", of: "c.example", until: fixture.expiry),
          cookie("d", "4", of: "192.0.2.1", until: fixture.expiry - 1),
        ],
        in: [
          "example.com\tFALSE\t/\tFALSE\t\(fixture.session)\ta\t1",
          ".example.com\tTRUE\t/docs\tTRUE\t\(fixture.session)\tb\tx, y=z",
          "c.example\tFALSE\t/\tFALSE\t\(fixture.seconds)\tc\t3",
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
          "#HttpOnly_example.com\tFALSE\t/\tFALSE\t\($0.session)\ta\t1",
          "#HttpOnly_.example.com\tTRUE\t/\tFALSE\t\($0.session)\tb\t2",
        ])
    }
    Clause("comments", "other lines that begin with # are ignored, and empty ones", from: source) {
      try $0.expect(
        [cookie("a", "#1", of: "example.com")],
        in: [
          "# Netscape HTTP Cookie File", "", "#example.org\tFALSE\t/\tFALSE\t\($0.session)\tb\t2",
          "# example.org\tFALSE\t/\tFALSE\t\($0.session)\tb\t2",
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\ta\t#1", "",
        ])
    }
    Clause("line-ends", "lines may end in CR LF", from: source) {
      try $0.expect(
        [cookie("a", "1", of: "example.com"), cookie("b", "2", of: "example.com")],
        in: [
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\ta\t1", "",
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\tb\t2",
        ], endingIn: "\r\n")
    }
    Clause("empty-value", "a value may be empty, with or without the TAB before it", from: source) {
      try $0.expect(
        [cookie("a", "", of: "example.com"), cookie("b", "", of: "example.com")],
        in: [
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\ta\t",
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\tb",
        ])
    }
    Clause("flags", "TRUE and FALSE are case-insensitive", from: source) {
      try $0.expect(
        [
          cookie("a", "1", of: "example.com", isHostOnly: false),
          cookie("b", "2", of: "example.com", isSecure: true),
        ],
        in: [
          ".example.com\ttrue\t/\tfalse\t\($0.session)\ta\t1",
          "example.com\tFalse\t/\tTrue\t\($0.session)\tb\t2",
        ])
    }
    Clause("session", "an expiry of 0 is that of a session cookie", from: source) { fixture in
      let cookies = [cookie("a", "1", of: "example.com")]
      let line = "example.com\tFALSE\t/\tFALSE\t0\ta\t1"
      try fixture.expect(cookies, in: [line])
      let text = String(decoding: try fixture.write(cookies), as: UTF8.self)
      #expect(text.contains(line))
    }
    Clause(
      "dotless", "the flag, and not a leading dot, makes a cookie one of subdomains", from: source
    ) {
      try $0.expect(
        [cookie("a", "1", of: "example.com", isHostOnly: false)],
        in: ["example.com\tTRUE\t/\tFALSE\t\($0.session)\ta\t1"])
    }
    Clause("bad-lines", "a line with fewer or more columns doesn't hide the others", from: source) {
      try $0.expect(
        [cookie("a", "1", of: "example.com"), cookie("z", "2", of: "example.com")],
        in: [
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\ta\t1", "example.com",
          "example.com\tFALSE\t/\tFALSE\t\($0.session)",
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\tb\t1\tx",
          "example.com\tFALSE\t/\tFALSE\t\($0.session)\tz\t2",
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
          "#HttpOnly_.example.com\tTRUE\t/docs\tFALSE\t\(fixture.session)\tb\t",
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
  } saboteurs: {
    Saboteur.cookieFiles
  }
}
