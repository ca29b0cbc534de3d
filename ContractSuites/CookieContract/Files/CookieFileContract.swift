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
  public static let cookieFiles = Contract("cookie-files", "Netscape cookie file") {
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
      checkEqual(columns.count, 2, "the number of lines that other programs read")
    }
  } saboteurs: {
    Saboteur.cookieFiles
  }
}
