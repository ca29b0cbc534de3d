import ContractTesting
import CookiePort
import Foundation
import Testing

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var sameSite: [Clause<CookieStoreFixture>] {
    Clause(
      "http-only-get", "scripts don't see HttpOnly cookies", from: "RFC 6265bis §5.8.3"
    ) { fixture in
      let cookie = try await fixture.set("a=1; HttpOnly")
      checkEqual(cookie.isHTTPOnly, true, "isHTTPOnly of HttpOnly")
      try await fixture.set("b=1")
      try await fixture.expect("a=1; b=1")
      try await fixture.expect("b=1", by: .script)
    }
    Clause(
      "http-only-set", "an HttpOnly cookie from a script is rejected", from: "RFC 6265bis §5.7, 15"
    ) { fixture in
      try await fixture.expectRejection("a=1; HttpOnly", by: .script, as: .httpOnlyFromScript)
      try await fixture.set("a=1", by: .script)
      try await fixture.set("b=1; HttpOnly", by: .http)
    }
    Clause(
      "http-only-overwrite", "a script can't replace or delete an HttpOnly cookie",
      from: "RFC 6265bis §5.7, 23"
    ) { fixture in
      try await fixture.set("a=1; HttpOnly")
      try await fixture.expectRejection("a=2", by: .script, as: .overwritesHTTPOnly)
      try await fixture.expectRejection("a=2; Max-Age=0", by: .script, as: .overwritesHTTPOnly)
      try await fixture.set("a=3; Path=/docs", by: .script)
      try await fixture.set("b=1")
      try await fixture.set("b=2", by: .script)
      try await fixture.set("a=4", by: .http)
      try await fixture.set("a=5", by: .script)
    }
    Clause(
      "request-defaults",
      "a request is HTTP's, safe, of the same site and no navigation by default",
      from: "this project"
    ) { fixture in
      let url = try #require(URL(string: "https://example.com"))
      let requests = [
        try CookieRequest(url), try CookieRequest("https://example.com"),
        try CookieRequest(isSecure: true, host: "example.com"),
      ]
      for (request, way) in zip(requests, ["a URL", "a URL's text", "parts"]) {
        checkEqual(request.path, "/", "the path of a request of \(way)")
        checkEqual(request.access, .http, "the access of a request of \(way)")
        checkEqual(request.isSameSite, true, "isSameSite of a request of \(way)")
        checkEqual(
          request.isTopLevelNavigation, false, "isTopLevelNavigation of a request of \(way)")
        checkEqual(request.isSafeMethod, true, "isSafeMethod of a request of \(way)")
        try await fixture.store.store("a=1; HttpOnly; SameSite=Strict", from: request)
        checkEqual(
          try await fixture.store.header(for: request), "a=1", "the header for a request of \(way)")
      }
    }
    Clause(
      "same-site-values",
      "SameSite is None, Strict or Lax in any case; other values count as missing",
      from: "RFC 6265bis §5.6.7"
    ) { fixture in
      let values: [(String, Cookie.SameSite)] = [
        ("SameSite=Strict", .strict), ("SameSite=STRICT", .strict), ("SameSite=lax", .lax),
        ("SameSite=nOnE", .none), ("SameSite=Default", .unspecified), ("SameSite=", .unspecified),
        ("SameSite", .unspecified), ("SameSite=Strictly", .unspecified),
        ("SameSite=\"Lax\"", .unspecified), ("SameSite=Strict; SameSite=x", .unspecified),
        ("", .unspecified),
      ]
      for (attribute, expected) in values {
        let cookie = try await fixture.set("a=1; Secure; \(attribute)")
        checkEqual(cookie.sameSite, expected, "SameSite of '\(attribute)'")
      }
    }
    Clause(
      "none-needs-secure", "SameSite=None needs Secure", from: "RFC 6265bis §5.7, 19"
    ) { fixture in
      try await fixture.expectRejection("a=1; SameSite=None", as: .sameSiteNoneNeedsSecure)
      try await fixture.expectRejection(
        "a=1; SameSite=None", at: "http://example.com/", as: .sameSiteNoneNeedsSecure)
      try await fixture.set("a=1; SameSite=None; Secure")
      for value in ["Strict", "Lax", "x"] { try await fixture.set("b=1; SameSite=\(value)") }
    }
    Clause(
      "strict", "a Strict cookie is sent with same-site requests only",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("a=1; SameSite=Strict")
      for caller in [Caller.http, .script] { try await fixture.expect("a=1", by: caller) }
      for caller in [
        Caller.crossSite, .crossSiteLink, .crossSiteForm, .crossSiteScript,
        .crossSiteScriptAfterLink,
      ] {
        try await fixture.expect(nil, by: caller)
      }
    }
    Clause(
      "lax", "a cookie with Lax or without SameSite is also sent with safe top-level navigations",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("a=1; SameSite=Lax")
      try await fixture.set("b=1")
      for caller in [Caller.http, .script, .crossSiteLink] {
        try await fixture.expect("a=1; b=1", by: caller)
      }
      for caller in [
        Caller.crossSite, .crossSiteForm, .crossSiteScript, .crossSiteScriptAfterLink,
      ] {
        try await fixture.expect(nil, by: caller)
      }
    }
    Clause(
      "none", "a SameSite=None cookie is sent with every secure request",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("a=1; SameSite=None; Secure")
      for caller in [
        Caller.http, .script, .crossSite, .crossSiteLink, .crossSiteForm, .crossSiteScript,
        .crossSiteScriptAfterLink,
      ] {
        try await fixture.expect("a=1", by: caller)
      }
    }
    Clause(
      "cross-site-set",
      "a cross-site request other than a top-level navigation sets only SameSite=None cookies",
      from: "RFC 6265bis §5.7, 18"
    ) { fixture in
      for line in ["a=1", "a=1; SameSite=Lax", "a=1; SameSite=Strict; Secure", "a=1; SameSite=x"] {
        for caller in [Caller.crossSite, .crossSiteScript, .crossSiteScriptAfterLink] {
          try await fixture.expectRejection(line, by: caller, as: .crossSite)
        }
        try await fixture.set(line, by: .crossSiteLink)
        try await fixture.set(line, by: .crossSiteForm)
        try await fixture.store.clear()
      }
      for caller in [Caller.crossSite, .crossSiteScript, .crossSiteLink] {
        try await fixture.set("b=1; SameSite=None; Secure", by: caller)
      }
    }
    Clause(
      "same-site-rfc6265", "RFC 6265 ignores SameSite", from: "RFC 6265 §5.2",
      requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      let cookie = try await older.set("a=1; SameSite=Strict", by: .crossSite)
      checkEqual(cookie.sameSite, .unspecified, "SameSite in RFC 6265")
      try await older.set("b=1; SameSite=None")
      try await older.expect("a=1; b=1", by: .crossSite)
      try await older.expect("a=1; b=1", by: .crossSiteForm)
    }
  }
}
