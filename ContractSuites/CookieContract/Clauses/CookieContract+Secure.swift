import ContractTesting
import CookiePort
import Foundation
import Testing

private let safe = "https://example.com/"
private let plain = "http://example.com/"

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var secure: [Clause<CookieStoreFixture>] {
    Clause(
      "secure-get", "a Secure cookie is sent over secure connections only",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("a=1; Secure")
      try await fixture.set("b=1")
      try await fixture.expect("a=1; b=1", at: safe)
      try await fixture.expect("a=1; b=1", at: "wss://example.com/")
      try await fixture.expect("b=1", at: plain)
      try await fixture.expect("b=1", at: "ws://example.com/")
    }
    Clause(
      "secure-set", "a Secure cookie from an insecure origin is rejected",
      from: "RFC 6265bis §5.7, 13"
    ) { fixture in
      try await fixture.expectRejection("a=1; Secure", at: plain, as: .insecureOrigin)
      try await fixture.set("b=1", at: plain)
      try await fixture.set("a=1; Secure", at: safe)
    }
    Clause(
      "secure-set-rfc6265", "in RFC 6265 an insecure origin may set and replace Secure cookies",
      from: "RFC 6265 §5.3", requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      try await older.set("a=1; Secure", at: plain)
      try await older.expect(nil, at: plain)
      try await older.expect("a=1", at: safe)
      try await older.set("a=2", at: plain)
      try await older.expect("a=2", at: plain)
    }
    Clause(
      "overlay", "an insecure origin can't overlay a Secure cookie of the same name",
      from: "RFC 6265bis §5.7, 16"
    ) { fixture in
      try await fixture.set("a=1; Secure; Domain=example.com; Path=/login")
      let api = "http://api.example.com/"
      for (line, url) in [
        ("a=2; Path=/login", plain), ("a=2; Path=/login/en", plain),
        ("a=2; Path=/login", api), ("a=2; Path=/login; Domain=example.com", api),
        ("a=2; Path=/login; Max-Age=0", plain),
      ] {
        try await fixture.expectRejection(line, at: url, as: .overlaysSecure)
      }
      try await fixture.set("b=1; Secure", at: "https://api.example.com/")
      try await fixture.expectRejection("b=2; Domain=example.com", at: plain, as: .overlaysSecure)
      try await fixture.expectRejection("b=2; Domain=example.com", at: api, as: .overlaysSecure)
      try await fixture.set("b=2", at: "http://other.org/")
      try await fixture.set("A=2; Path=/login", at: plain)
      try await fixture.set("c=1", at: safe)
      try await fixture.set("c=2", at: plain)
      try await fixture.set("b=3", at: "https://api.example.com/")
    }
    Clause(
      "overlay-beside",
      "an insecure origin may set a cookie whose path the Secure cookie doesn't cover",
      from: "RFC 6265bis §5.7, 16"
    ) { fixture in
      try await fixture.set("a=1; Secure; Path=/login")
      try await fixture.set("a=2; Path=/", at: plain)
      try await fixture.set("a=3; Path=/loginform", at: plain)
      try await fixture.expectRejection("a=4; Path=/login/", at: plain, as: .overlaysSecure)
      try await fixture.expect("a=1; a=2", at: "https://example.com/login")
      try await fixture.expect("a=2", at: "http://example.com/login")
    }
    Clause(
      "overlay-expired", "an expired Secure cookie is not protected",
      from: "RFC 6265bis §5.7, 16", requires: .controllableClock
    ) { fixture in
      try await fixture.set("a=1; Secure; Max-Age=60")
      try await fixture.expectRejection("a=2", at: plain, as: .overlaysSecure)
      fixture.clock.advance(by: 60)
      try await fixture.set("a=2", at: plain)
    }
    Clause(
      "secure-prefix", "a name that begins with __Secure- needs Secure",
      from: "RFC 6265bis §5.7, 20"
    ) { fixture in
      try await fixture.expectRejection("__Secure-a=1", as: .securePrefix)
      try await fixture.expectRejection("__Secure-a=1; Path=/; HttpOnly", as: .securePrefix)
      try await fixture.expectRejection("__Secure-=1", as: .securePrefix)
      try await fixture.set("__Secure-a=1; Secure; Domain=example.com; Path=/docs")
      try await fixture.set("__Secure=1")
      try await fixture.set("_Secure-a=1")
      try await fixture.set("x__Secure-a=1")
    }
    Clause(
      "host-prefix", "a name that begins with __Host- needs Secure and Path=/, and no Domain",
      from: "RFC 6265bis §5.7, 21"
    ) { fixture in
      for attributes in [
        "", "; Secure", "; Path=/", "; Secure; Path=/docs",
        "; Secure; Path=/; Domain=example.com", "; Secure; Path=/; Path=/docs",
      ] {
        try await fixture.expectRejection("__Host-a=1\(attributes)", as: .hostPrefix)
      }
      try await fixture.expectRejection(
        "__Host-a=1; Secure; Path=/", at: plain, as: .insecureOrigin)
      let cookie = try await fixture.set("__Host-a=1; Secure; Path=/", at: safe + "docs/page")
      checkEqual(cookie.isHostOnly, true, "isHostOnly of a __Host- cookie")
      try await fixture.set("__Host-b=1; Secure; Path=/; Domain=")
      try await fixture.set("__Host=1")
    }
    Clause(
      "prefix-case", "prefixes are case-insensitive", from: "RFC 6265bis §5.4"
    ) { fixture in
      for name in ["__secure-a", "__SECURE-a", "__SeCuRe-a"] {
        try await fixture.expectRejection("\(name)=1", as: .securePrefix)
        try await fixture.set("\(name)=1; Secure")
      }
      for name in ["__host-a", "__HOST-a", "__HoSt-a"] {
        try await fixture.expectRejection("\(name)=1; Secure", as: .hostPrefix)
        try await fixture.set("\(name)=1; Secure; Path=/")
      }
    }
    Clause(
      "prefix-nameless", "a nameless value must not begin like a prefixed name",
      from: "RFC 6265bis §5.7, 22"
    ) { fixture in
      for value in ["__Secure-a=1", "__Host-a=1", "__secure-", "__HOST-a"] {
        try await fixture.expectRejection("=\(value); Secure; Path=/", as: .namelessPrefix)
      }
      try await fixture.expectRejection("__Secure-a; Secure", as: .namelessPrefix)
      try await fixture.set("=x__Secure-a=1")
      try await fixture.set("b=__Secure-a=1")
    }
    Clause(
      "prefix-rfc6265", "RFC 6265 ignores prefixes", from: "RFC 6265 §5.3",
      requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      try await older.set("__Secure-a=1")
      try await older.set("__Host-a=1; Domain=example.com; Path=/docs")
    }
    Clause(
      "localhost", "http to localhost counts as secure if the policy trusts it",
      from: "RFC 6265bis §5.8.3", requires: .configurablePolicy
    ) { fixture in
      let loopback = [
        "http://localhost/", "http://app.localhost/", "http://127.0.0.1/", "http://127.9.9.9/",
        "http://[::1]/",
      ]
      let trusting = try await fixture.opening(CookiePolicy(trustsLocalhost: true))
      for url in loopback {
        try await trusting.set("a=1; Secure", at: url)
        try await trusting.expect("a=1", at: url)
        try await trusting.set("a=2", at: url)
      }
      for url in [
        plain, "http://128.0.0.1/", "http://localhost.example.com/", "http://mylocalhost/",
      ] {
        try await trusting.expectRejection("a=1; Secure", at: url, as: .insecureOrigin)
      }
      for url in loopback {
        try await fixture.expectRejection("a=1; Secure", at: url, as: .insecureOrigin)
        try await fixture.set("a=1; Secure", at: url.replacing("http:", with: "https:"))
        try await fixture.expect(nil, at: url)
      }
    }
    Clause(
      "localhost-dot", "a trailing dot of localhost or a loopback address doesn't change the trust",
      from: "RFC 6761 §6.3", requires: .configurablePolicy
    ) { fixture in
      let trusting = try await fixture.opening(CookiePolicy(trustsLocalhost: true))
      for url in ["http://localhost./", "http://app.localhost./", "http://127.0.0.1./"] {
        try await trusting.set("a=1; Secure", at: url)
        try await trusting.expect("a=1", at: url)
      }
      for url in [
        "http://127.0.0.1.example.com/", "http://127.example./", "http://localhost.org./",
      ] {
        try await trusting.expectRejection("a=1; Secure", at: url, as: .insecureOrigin)
      }
    }
  }
}
