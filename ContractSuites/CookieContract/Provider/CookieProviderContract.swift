public import ContractTesting
import CookiePort
import Foundation
import Testing

private let api = CookieProviderFixture.api
private let future = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 86_400)

extension Contract<CookieProviderFixture> {
  /// The behaviour of every cookie provider.
  public static let cookieProvider: Self = Contract(
    "cookie-provider", "Cookie provider", leavesOthersToMutants: true
  ) {
    Clause("absent", "a missing cookie is nil", from: "this project") { fixture in
      try await fixture.expect(nil, named: "a")
      try await fixture.set(NamedCookie(name: "b", value: "1"))
      try await fixture.expect(nil, named: "a")
    }
    Clause("attributes", "a cookie is returned with every attribute", from: "this project") {
      fixture in
      for cookie in [
        NamedCookie(name: "plain", value: "1"), NamedCookie(name: "empty", value: ""),
        NamedCookie(
          name: "full", value: "2", path: "/v1", expires: future, isSecure: true, isHTTPOnly: true),
        NamedCookie(name: "secure", value: "3", isSecure: true),
        NamedCookie(name: "hidden", value: "4", isHTTPOnly: true),
        NamedCookie(name: "kept", value: "5", expires: future),
      ] {
        try await fixture.set(cookie)
        let found = try await fixture.provider().cookie(named: cookie.name)
        checkEqual(found, cookie, "the cookie '\(cookie.name)'")
      }
      let plain = NamedCookie(name: "a", value: "1")
      checkEqual(plain.isSecure, false, "isSecure by default")
      checkEqual(plain.isHTTPOnly, false, "isHTTPOnly by default")
      for other in [
        NamedCookie(name: "b", value: "1"), NamedCookie(name: "a", value: "2"),
        NamedCookie(name: "a", value: "1", path: "/v1"),
        NamedCookie(name: "a", value: "1", expires: future),
        NamedCookie(name: "a", value: "1", isSecure: true),
        NamedCookie(name: "a", value: "1", isHTTPOnly: true),
      ] {
        checkEqual(plain == other, false, "whether a cookie equals \(other)")
      }
    }
    Clause("days", "an expiry on any day of the next year is kept", from: "RFC 6265bis §5.1.1") {
      fixture in
      for day in 0..<390 {
        let start = (future.timeIntervalSince1970 / 86_400).rounded(.up) + Double(day)
        // Every second, minute and hour occurs, and at times the last second of a day.
        for time in [day * 3661 % 86_400] + (day.isMultiple(of: 29) ? [86_399] : []) {
          let expires = Date(timeIntervalSince1970: start * 86_400 + Double(time))
          try await fixture.set(NamedCookie(name: "a", value: "1", expires: expires))
          let found = try await fixture.provider().cookie(named: "a")
          checkEqual(found?.expires, expires, "the expiry after \(day) days and \(time) s")
        }
      }
    }
    Clause(
      "verbatim", "values are returned byte for byte", from: "RFC 6265bis §5.6"
    ) { fixture in
      for value in ["a,b", "\"quoted\"", "100%25", "a=b", "inner space", "é", "e\u{301}", "日本"] {
        try await fixture.set(NamedCookie(name: "a", value: value))
        try await fixture.expect(value, named: "a")
      }
    }
    Clause(
      "replaces", "a cookie replaces one of the same name and path",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      try await fixture.set(NamedCookie(name: "a", value: "1", expires: future, isSecure: true))
      try await fixture.set(NamedCookie(name: "b", value: "1"))
      let again = NamedCookie(name: "a", value: "2")
      try await fixture.set(again)
      let found = try await fixture.provider().cookie(named: "a")
      checkEqual(found, again, "the replacing cookie")
      try await fixture.expect("1", named: "b")
    }
    Clause("names", "names are case-sensitive", from: "RFC 6265bis §5.7, 23") { fixture in
      try await fixture.set(NamedCookie(name: "sid", value: "1"))
      try await fixture.set(NamedCookie(name: "SID", value: "2"))
      try await fixture.expect("1", named: "sid")
      try await fixture.expect("2", named: "SID")
      try await fixture.expect(nil, named: "Sid")
      try await fixture.provider().deleteCookie(named: "Sid")
      try await fixture.expect("1", named: "sid")
    }
    Clause(
      "own-host", "a cookie goes to the URL's host, not to its parent, child or sibling hosts",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set(NamedCookie(name: "a", value: "1"))
      try await fixture.expect("1", named: "a", at: "https://api.example.com/")
      for url in [
        "https://example.com/", "https://v2.api.example.com/", "https://www.example.com/",
        "https://xapi.example.com/",
      ] {
        try await fixture.expect(nil, named: "a", at: url)
      }
    }
    Clause(
      "path", "a cookie goes to URLs under its path", from: "RFC 6265bis §5.1.4"
    ) { fixture in
      try await fixture.set(NamedCookie(name: "a", value: "1", path: "/v1"))
      try await fixture.expect("1", named: "a")
      try await fixture.expect("1", named: "a", at: "https://api.example.com/v1")
      for path in ["", "v2", "v10", "V1/"] {
        try await fixture.expect(nil, named: "a", at: "https://api.example.com/\(path)")
      }
      let longest = "/" + String(repeating: "a", count: 1023)
      try await fixture.set(NamedCookie(name: "b", value: "1", path: longest))
      try await fixture.expect("1", named: "b", at: "https://api.example.com\(longest)")
    }
    Clause(
      "longest-path", "the cookie with the longest path is returned if several have the name",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      let lengths = ["/", "/v1/a/b/c/", "/v1", "/v1/a/b/", "/v1/a", "/v1/", "/v1/a/b/c", "/v1/a/"]
      for path in lengths { try await fixture.set(NamedCookie(name: "a", value: path, path: path)) }
      try await fixture.expect("/v1/a/b/c/", named: "a", at: "https://api.example.com/v1/a/b/c/d")
      try await fixture.expect("/v1/", named: "a")
      try await fixture.expect("/", named: "a", at: "https://api.example.com/")
    }
    Clause(
      "secure", "a Secure cookie goes to secure URLs only", from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set(NamedCookie(name: "a", value: "1", isSecure: true))
      try await fixture.expect("1", named: "a")
      try await fixture.expect(nil, named: "a", at: "http://api.example.com/v1/")
    }
    Clause(
      "delete",
      "deleting removes exactly the cookies of the name that a request to the URL carries",
      from: "this project"
    ) { fixture in
      try await fixture.provider().deleteCookie(named: "a")
      for path in ["/", "/v1", "/v2"] {
        try await fixture.set(NamedCookie(name: "a", value: path, path: path, isHTTPOnly: true))
      }
      try await fixture.set(NamedCookie(name: "b", value: "1"))
      try await fixture.set(NamedCookie(name: "a", value: "o"), at: "https://example.org/")
      try await fixture.provider().deleteCookie(named: "a")
      try await fixture.expect(nil, named: "a")
      try await fixture.expect("1", named: "b")
      try await fixture.expect("/v2", named: "a", at: "https://api.example.com/v2")
      try await fixture.expect("o", named: "a", at: "https://example.org/")
    }
    Clause(
      "expired", "an expired cookie deletes the one of the same name and path",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      for expires in [Date(timeIntervalSince1970: 0), .distantPast, Date() - 2] {
        try await fixture.set(NamedCookie(name: "a", value: "1"))
        try await fixture.set(NamedCookie(name: "a", value: "2", expires: expires))
        try await fixture.expect(nil, named: "a")
      }
    }
    Clause(
      "malformed", "text that a cookie can't carry throws a typed error and changes nothing",
      from: "this project"
    ) { fixture in
      let provider = try fixture.provider()
      try await fixture.set(NamedCookie(name: "a", value: "1"))
      let bad: [(CookieProviderError.Attribute, NamedCookie)] =
        ["", "a=b", "a;b", "a\n", " a", "a\t"].map { (.name, NamedCookie(name: $0, value: "2")) }
        + ["1;2", "1\r\n2", " 1", "1 ", "\0"].map { (.value, NamedCookie(name: "a", value: $0)) }
        + ["", "v1", "/a;b", "/\u{7F}", "/ ", "/" + String(repeating: "a", count: 1024)].map {
          (.path, NamedCookie(name: "a", value: "2", path: $0))
        }
      for (attribute, cookie) in bad {
        let text =
          switch attribute {
          case .name: cookie.name
          case .value: cookie.value
          case .path: cookie.path
          }
        let subject = "the \(attribute) \(describe(text))"
        do {
          try await provider.set(cookie)
          Issue.record("\(subject): expected it rejected as malformed, got no error")
        } catch let error as CookieProviderError {
          checkEqual(error, .malformed(attribute, text), "the error of \(subject)")
        }
        try await fixture.expect("1", named: "a")
      }
    }
  } saboteurs: {
    Saboteur.provider
  }
}
