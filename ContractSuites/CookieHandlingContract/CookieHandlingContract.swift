public import ContractTesting
import Testing
import TransportPort

extension Contract<CookieHandlingFixture> {
  /// The behaviour of every type that handles cookies for HTTP transports.
  public static let cookieHandling: Self = Contract("cookie-handling", "Cookies of HTTP requests") {
    Clause("none", "without cookies there is no Cookie field", from: "RFC 6265bis §5.8.1") {
      try await $0.expect(nil)
    }
    Clause(
      "own-host", "a response's cookies go to its host and to no other", from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.receive("a=1; HttpOnly")
      try await fixture.expect("a=1")
      for host in ["api.example.com", "com", "example.org", "badexample.com"] {
        try await fixture.expect(nil, at: "https://\(host)/")
      }
      try await fixture.receive("b=1; Domain=example.com")
      try await fixture.expect("b=1", at: "https://api.example.com/")
    }
    Clause(
      "every-line",
      "each line of a response is one cookie, in order; commas don't separate cookies",
      from: "RFC 6265bis §5.3"
    ) { fixture in
      try await fixture.receive("a=1", "b=2, c=3", "a=4; Path=/")
      try await fixture.expect("a=4; b=2, c=3")
    }
    Clause("path", "a cookie goes to URLs under its path", from: "RFC 6265bis §5.1.4") { fixture in
      try await fixture.receive("a=1", from: "https://example.com/docs/page?q=/x")
      try await fixture.expect("a=1", at: "https://example.com/docs/other")
      try await fixture.expect(nil, at: "https://example.com/?/docs/")
    }
    Clause(
      "secure", "a Secure cookie goes to https URLs only", from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.receive("a=1; Secure", "b=1")
      try await fixture.expect("a=1; b=1")
      try await fixture.expect("b=1", at: "http://example.com/")
    }
    Clause(
      "deletion", "a later response replaces and deletes cookies", from: "RFC 6265bis §5.7"
    ) { fixture in
      try await fixture.receive("a=1", "b=1")
      try await fixture.receive("a=2", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
      try await fixture.expect("a=2")
    }
    Clause(
      "rejected", "a rejected line fails neither the response nor its other lines",
      from: "this project"
    ) { fixture in
      await #expect(throws: Never.self) {
        try await fixture.receive("a=1", "x=1; Domain=example.org", "y=1; Domain=com", "b=1")
      }
      try await fixture.expect("a=1; b=1")
    }
    Clause(
      "same-site", "requests are of the same site, whatever their method", from: "this project"
    ) { fixture in
      try await fixture.receive("a=1; SameSite=Strict", "b=1; SameSite=Lax")
      for method: HTTPRequest.Method in [.get, .post, .delete] {
        try await fixture.expect("a=1; b=1", method: method)
      }
    }
    Clause(
      "url-forms", "port, user, query, fragment and the host's case don't matter",
      from: "RFC 6265 §8.5"
    ) { fixture in
      try await fixture.receive("a=1", from: "https://me@EXAMPLE.com:8443/?q#f")
      for url in [
        "https://example.com", "https://Example.Com:9443/x?y#z", "https://you:x@example.com/",
      ] {
        try await fixture.expect("a=1", at: url)
      }
    }
    Clause(
      "no-cookie-host", "a URL whose host can't have cookies has none, and storing one is no error",
      from: "this project"
    ) { fixture in
      let url = "https://[fe80::1%25eth0]/"
      await #expect(throws: Never.self) { try await fixture.receive("a=1", from: url) }
      try await fixture.expect(nil, at: url)
    }
    Clause(
      "redirects", "each hop of a redirect sends its own cookies and stores its response's",
      from: "RFC 6265bis §5.3"
    ) { fixture in
      let transport = FakeTransport { request in
        switch request.path {
        case "/login":
          .respond(302, headerFields: ["Location": "/home", "Set-Cookie": "sid=1; Path=/"])
        case "/home": .respond(303, headerFields: ["Location": "https://example.org/end"])
        default: .respond()
        }
      }
      let client = transport.handlingCookies(with: fixture.handling).followingRedirects()
      _ = try await client.send(HTTPRequest(url: "https://example.com/login"))
      checkEqual(
        transport.requests.map { $0.head.headerFields[.cookie] ?? "none" },
        ["none", "sid=1", "none"], "the cookies of the three hops")
    }
  } saboteurs: {
    Saboteur.handling
  }
}
