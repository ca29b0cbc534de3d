import ContractTesting
import CookiePort
import Foundation
import SystemLocks
import Testing

private let host = "https://example.com/"
private let subdomain = "https://api.example.com/"
private let subsubdomain = "https://v2.api.example.com/"

extension CookieClauses {
  @ClauseBuilder<CookieStoreFixture>
  static var domain: [Clause<CookieStoreFixture>] {
    Clause(
      "leading-dot", "one leading dot of Domain is stripped", from: "RFC 6265bis §5.6.3"
    ) { fixture in
      let cookie = try await fixture.set("a=1; Domain=.example.com")
      checkSameBytes(cookie.domain, "example.com", "the domain of .example.com")
      checkEqual(cookie.isHostOnly, false, "isHostOnly with Domain=.example.com")
      try await fixture.expect("a=1", at: subdomain)
      try await fixture.expectRejection("b=1; Domain=..example.com", as: .domainMismatch)
      try await fixture.set("a=2; Domain=example.com")
      try await fixture.expectAll(["a=2"])
    }
    Clause(
      "domain-case", "Domain and host are case-insensitive", from: "RFC 6265bis §5.1.2"
    ) { fixture in
      let cookie = try await fixture.set("a=1; Domain=EXAMPLE.Com", at: "https://API.Example.COM/")
      checkSameBytes(cookie.domain, "example.com", "the domain of EXAMPLE.Com")
      try await fixture.expect("a=1", at: "HTTPS://WWW.EXAMPLE.COM/")
      try await fixture.set("a=2; Domain=example.com")
      try await fixture.expectAll(["a=2"])
      try await fixture.set("b=1; Domain=JAZZ.example", at: "https://www.jazz.example/")
      try await fixture.expect("b=1", at: "https://jazz.example/")
    }
    Clause(
      "domain-itself", "Domain may be the host itself, and then covers its subdomains",
      from: "RFC 6265bis §5.1.3"
    ) { fixture in
      let cookie = try await fixture.set("a=1; Domain=example.com")
      checkEqual(cookie.isHostOnly, false, "isHostOnly with Domain=example.com")
      try await fixture.expect("a=1", at: host)
      try await fixture.expect("a=1", at: subsubdomain)
    }
    Clause(
      "domain-match",
      "a domain covers itself and the hosts that end in a dot and the domain, and no others",
      from: "RFC 6265bis §5.1.3"
    ) { fixture in
      try await fixture.set("a=1; Domain=example.com", at: subsubdomain)
      for url in [host, subdomain, subsubdomain, "https://www.example.com/"] {
        try await fixture.expect("a=1", at: url)
      }
      for url in [
        "https://badexample.com/", "https://example.com.evil.org/", "https://xample.com/",
        "https://example.org/", "https://com/", "https://examplexcom/",
      ] {
        try await fixture.expect(nil, at: url)
      }
      try await fixture.expectRejection(
        "b=1; Domain=example.com", at: "https://badexample.com/", as: .domainMismatch)
      // A host of many levels receives what each of them has set for all below it.
      for parent in ["y.z.example.com", "z.example.com"] {
        try await fixture.set("only=1", at: "https://\(parent)/")
        try await fixture.set("\(parent.prefix(1))=1; Domain=\(parent)", at: "https://\(parent)/")
      }
      try await fixture.expect("a=1; y=1; z=1", at: "https://v.w.x.y.z.example.com/")
    }
    Clause(
      "domain-address",
      "an IP address matches only itself, with or without brackets, never a part of it",
      from: "RFC 6265bis §5.1.3"
    ) { fixture in
      try await fixture.expectRejection(
        "a=1; Domain=3.4", at: "https://1.2.3.4/", as: .domainMismatch)
      try await fixture.expectRejection(
        "a=1; Domain=.2.3.4", at: "https://1.2.3.4/", as: .domainMismatch)
      try await fixture.set("b=1; Domain=1.2.3.4", at: "https://1.2.3.4/")
      try await fixture.set("c=1", at: "https://1.2.3.4/")
      try await fixture.set("d=0", at: "https://[2001:db8::1]/")
      try await fixture.set("d=1; Domain=[2001:DB8::1]", at: "https://[2001:db8::1]/")
      try await fixture.expectRejection(
        "d=1; Domain=[2001:db8::2]", at: "https://[2001:db8::1]/", as: .domainMismatch)
      try await fixture.expect("b=1; c=1", at: "https://1.2.3.4/")
      try await fixture.expect("d=0; d=1", at: "https://[2001:db8::1]/")
      for url in ["https://9.2.3.4/", "https://2.3.4.1/", "https://[2001:db8::2]/"] {
        try await fixture.expect(nil, at: url)
      }
    }
    Clause(
      "domain-foreign", "a Domain that doesn't cover the host is rejected",
      from: "RFC 6265bis §5.7, 10"
    ) { fixture in
      for domain in ["example.org", "xample.com", "ample.com", "example.co", "example.com.org"] {
        try await fixture.expectRejection("a=1; Domain=\(domain)", as: .domainMismatch)
      }
      try await fixture.set("a=1; Domain=example.com")
    }
    Clause(
      "host-only", "a cookie without Domain is host-only", from: "RFC 6265bis §5.7, 10"
    ) { fixture in
      let cookie = try await fixture.set("a=1", at: subdomain)
      checkEqual(cookie.isHostOnly, true, "isHostOnly without Domain")
      checkSameBytes(cookie.domain, "api.example.com", "the domain of a host-only cookie")
      let wide = try await fixture.set("b=1; Domain=example.com", at: subdomain)
      checkEqual(wide.isHostOnly, false, "isHostOnly with Domain")
    }
    Clause(
      "host-only-match", "a host-only cookie goes to its host, not to subdomains or parent domains",
      from: "RFC 6265bis §5.8.3"
    ) { fixture in
      try await fixture.set("a=1", at: subdomain)
      try await fixture.expect("a=1", at: subdomain)
      for url in [host, subsubdomain, "https://www.example.com/"] {
        try await fixture.expect(nil, at: url)
      }
    }
    Clause(
      "domain-sibling", "a Domain that is a sibling or a subdomain of the host is rejected",
      from: "RFC 6265bis §5.7, 10"
    ) { fixture in
      try await fixture.expectRejection(
        "a=1; Domain=www.example.com", at: subdomain, as: .domainMismatch)
      try await fixture.expectRejection(
        "a=1; Domain=api.example.com", at: host, as: .domainMismatch)
      try await fixture.expectRejection(
        "a=1; Domain=v2.api.example.com", at: subdomain, as: .domainMismatch)
    }
    Clause(
      "public-suffix", "a Domain that is a public suffix is rejected", from: "RFC 6265bis §5.7, 9"
    ) { fixture in
      for domain in ["com", ".com", "COM"] {
        try await fixture.expectRejection("a=1; Domain=\(domain)", as: .publicSuffix)
      }
      try await fixture.expectRejection(
        "a=1; Domain=com.", at: "https://example.com./", as: .publicSuffix)
      try await fixture.set("a=1; Domain=example.com", at: subdomain)
    }
    Clause(
      "public-suffix-list", "the policy's list decides what a public suffix is",
      from: "RFC 6265bis §5.7, 9", requires: .configurablePolicy
    ) { fixture in
      let rules = ["com", "co.uk", "*.ck", "!www.ck", "*.kawasaki.jp"]
      for profile in CookiePolicy.Profile.allCases {
        let store = try await fixture.opening(
          CookiePolicy(
            profile: profile, publicSuffixes: StaticPublicSuffixList(rules: rules)))
        try await store.expectRejection(
          "a=1; Domain=co.uk", at: "https://example.co.uk/", as: .publicSuffix)
        try await store.expectRejection(
          "a=1; Domain=foo.ck", at: "https://bar.foo.ck/", as: .publicSuffix)
        try await store.expectRejection(
          "a=1; Domain=kawasaki.jp", at: "https://shop.city.kawasaki.jp/", as: .publicSuffix)
        try await store.set("a=1; Domain=example.co.uk", at: "https://www.example.co.uk/")
        try await store.set("b=1; Domain=www.ck", at: "https://shop.www.ck/")
        try await store.expect("a=1", at: "https://shop.example.co.uk/")
      }
      let open = try await fixture.opening(CookiePolicy(publicSuffixes: .noSuffixes))
      try await open.set("a=1; Domain=com")
      try await open.expect("a=1", at: "https://example.com/")
    }
    Clause(
      "suffix-host",
      "a host that is a public suffix may name itself as Domain; the cookie is host-only",
      from: "RFC 6265bis §5.7, 9"
    ) { fixture in
      let cookie = try await fixture.set("a=1; Domain=localhost", at: "https://localhost/")
      checkSameBytes(cookie.domain, "localhost", "the domain")
      checkEqual(cookie.isHostOnly, true, "isHostOnly with Domain=localhost at localhost")
      try await fixture.expect("a=1", at: "https://localhost/")
      try await fixture.expect(nil, at: "https://app.localhost/")
    }
    Clause(
      "later-suffix", "a cookie whose domain has become a public suffix is no longer sent",
      from: "RFC 6265bis §5.8.3", requires: .configurablePolicy
    ) { fixture in
      let list = GrowingSuffixList()
      let store = try await fixture.opening(CookiePolicy(publicSuffixes: list))
      try await store.set("a=1; Domain=pages.example", at: "https://me.pages.example/")
      try await store.set("b=1", at: "https://pages.example/")
      try await store.expect("a=1", at: "https://me.pages.example/")
      list.grow(by: "pages.example")
      try await store.expect(nil, at: "https://me.pages.example/")
      try await store.expect("b=1", at: "https://pages.example/")
    }
    Clause(
      "idn", "a host in U-labels equals the host in A-labels", from: "RFC 6265bis §5.1.2"
    ) { fixture in
      let cookie = try await fixture.set("a=1", at: "https://bücher.example/")
      checkSameBytes(cookie.domain, "xn--bcher-kva.example", "the domain of bücher.example")
      try await fixture.set(
        "b=1; Domain=xn--bcher-kva.example", at: "https://shop.BÜCHER.example/")
      try await fixture.expect("a=1; b=1", at: "https://xn--bcher-kva.example/")
      try await fixture.expect("b=1", at: "https://api.bücher.example/")
    }
    Clause(
      "non-ascii-domain", "a Domain with non-ASCII characters is rejected",
      from: "RFC 6265bis §5.7, 8"
    ) { fixture in
      try await fixture.expectRejection(
        "a=1; Domain=bücher.example", at: "https://bücher.example/", as: .nonASCIIDomain)
      try await fixture.expectRejection("a=1; Domain=exämple.com", as: .nonASCIIDomain)
    }
    Clause(
      "trailing-dot", "a Domain or host with a trailing dot differs from the one without",
      from: "RFC 6265bis §5.1.3"
    ) { fixture in
      try await fixture.expectRejection("a=1; Domain=example.com.", as: .domainMismatch)
      try await fixture.set("b=1; Domain=example.com")
      try await fixture.expect(nil, at: "https://example.com./")
      try await fixture.set("c=1", at: "https://example.com./")
      try await fixture.expect("b=1", at: host)
      try await fixture.expect("c=1", at: "https://example.com./")
    }
    Clause(
      "ascii-case", "only ASCII letters are compared case-insensitively",
      from: "RFC 6265bis §5.1.2 and §5.7, 8"
    ) { fixture in
      // The lower case of U+212A (Kelvin sign) is 'k', the upper case of U+017F (long s) is 'S'.
      for (domain, host) in [
        ("\u{212A}ids.example", "kids.example"), (".\u{212A}ids.example", "www.kids.example"),
        ("\u{17F}hop.example", "shop.example"),
      ] {
        try await fixture.expectRejection(
          "a=1; Domain=\(domain)", at: "https://\(host)/", as: .nonASCIIDomain)
      }
      let plain = try await fixture.set("a=1; \u{17F}ecure; \u{17F}ameSite=Strict; \u{17F}ecure=")
      checkEqual(plain.isSecure, false, "isSecure with an attribute that begins with U+017F")
      checkEqual(plain.sameSite, .unspecified, "SameSite with an attribute that begins with U+017F")
      try await fixture.set("__\u{17F}ecure-a=1")
      try await fixture.set("__Ho\u{17F}t-a=1")
    }
    Clause(
      "address-forms", "every notation of an IPv4 address is one host, with or without a final dot",
      from: "WHATWG URL, IPv4 parser"
    ) { fixture in
      let cookie = try await fixture.set("a=1", at: "https://127.0.0.1./")
      checkSameBytes(cookie.domain, "127.0.0.1", "the domain of 127.0.0.1.")
      for host in ["127.0.0.1", "0x7f.0.0.1", "127.1", "0177.0.0.0x1", "2130706433", "0x7F000001."]
      {
        try await fixture.expect("a=1", at: "https://\(host)/")
      }
      try await fixture.expectRejection(
        "b=1; Domain=0.1", at: "https://127.0.0.0x1/", as: .domainMismatch)
      for host in ["example.0x1", "example.1", "1.2.3.4.5", "256.0.0.1", "0x1g.0xfg.0x"] {
        let request = try? CookieRequest(isSecure: true, host: host)
        checkEqual(request?.host, nil, "the host '\(host)', whose last label is a number,")
      }
    }
    Clause(
      "almost-address", "a host whose last label only begins like a hexadecimal number is a name",
      from: "WHATWG URL, ends-in-a-number checker"
    ) { fixture in
      for label in ["0xg", "0x1g", "0x1g2"] {
        let domain = "example.\(label)"
        let cookie = try await fixture.set("a=1; Domain=\(domain)", at: "https://www.\(domain)/")
        checkSameBytes(cookie.domain, domain, "the domain of Domain=\(domain)")
      }
      let request = try? CookieRequest(isSecure: true, host: "example.0x`")
      checkEqual(request?.host, "example.0x`", "the host 'example.0x`'")
      for label in ["0xa", "0xf", "0XF"] {
        let request = try? CookieRequest(isSecure: true, host: "example.\(label)")
        checkEqual(request?.host, nil, "the host 'example.\(label)', whose last label is a number,")
      }
    }
    Clause(
      "host-bytes", "a Domain with a byte that no host may have is rejected",
      from: "WHATWG URL, forbidden host code points"
    ) { fixture in
      for byte in ["!", "~"] {
        let request = try? CookieRequest(isSecure: true, host: "exam\(byte)ple.com")
        checkEqual(request?.host, "exam\(byte)ple.com", "the host with \(describe(byte))")
      }
      // The lower case of a letter is 0x20 above it, and '`' is 0x20 above '@', which is none.
      let grave = try CookieRequest(isSecure: true, host: "example.0x`")
      do {
        try await fixture.store.store("a=1; Domain=example.0x@", from: grave)
        Issue.record("Domain=example.0x@ from 'example.0x`': expected it rejected, got no error")
      } catch let error as CookieStoreError {
        checkEqual(error, .rejected(.domainMismatch), "the error of Domain=example.0x@")
      }
      for byte in ["\u{1}", " ", "<", "^", "|", "%", "\u{7F}"] {
        let request = try? CookieRequest(isSecure: true, host: "exam\(byte)ple.com")
        checkEqual(request?.host, nil, "the host with \(describe(byte))")
      }
      for byte in ["<", "^", "|", "@"] {
        try await fixture.expectRejection(
          "a=1; Domain=exam\(byte)ple.com", as: .domainMismatch)
      }
    }
    Clause(
      "address-zeros", "an IPv6 address is one host, whichever of its zeros are written",
      from: "RFC 5952 §4.2"
    ) { fixture in
      for (forms, domain) in [
        (["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"], "1:2:3:4:5:6:7:0"),
        (["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"], "0:2:3:4:5:6:7:8"),
        (["1:0:0:4::", "1::4:0:0:0:0"], "1:0:0:4::"), (["0::0:1", "::1"], "::1"),
        (["1:0:0:4:5:0:0:8"], "1::4:5:0:0:8"), (["0::0", "0:0:0:0:0:0:0:0"], "::"),
        (["::ffff:1.2.3.4"], "::ffff:102:304"),
      ] {
        for form in forms {
          let cookie = try await fixture.set("a=1", at: "https://[\(form)]/")
          checkSameBytes(cookie.domain, domain, "the domain of [\(form)]")
        }
        try await fixture.expect("a=1", at: "https://[\(domain)]/")
      }
    }
    Clause(
      "longest-host", "a host may have 253 octets, not counting a final dot, and no more",
      from: "RFC 1035 §2.3.4"
    ) { fixture in
      let label = String(repeating: "a", count: 61)
      let host = [label, label, label, label, "ab.cd"].joined(separator: ".")
      for url in ["https://\(host)/", "https://\(host)./"] {
        try await fixture.set("a=1", at: url)
        try await fixture.expect("a=1", at: url)
      }
      for host in ["x\(host)", "x\(host)."] {
        let request = try? CookieRequest(isSecure: true, host: host)
        checkEqual(request?.host, nil, "a host of 254 octets")
      }
    }
    Clause("port", "ports are ignored", from: "RFC 6265 §8.5") { fixture in
      let cookie = try await fixture.set("a=1", at: "https://example.com:8443/")
      checkSameBytes(cookie.domain, "example.com", "the domain of a host with a port")
      for url in [host, "https://example.com:9443/", "https://example.com:443/"] {
        try await fixture.expect("a=1", at: url)
      }
    }
    Clause(
      "empty-domain", "an empty Domain counts as none and overrides an earlier one",
      from: "RFC 6265bis §5.6.3"
    ) { fixture in
      for line in ["a=1; Domain=", "a=1; Domain", "a=1; Domain=.", "a=1; Domain= \t"] {
        let cookie = try await fixture.set(line)
        checkEqual(cookie.isHostOnly, true, "isHostOnly of \(line)")
        checkSameBytes(cookie.domain, "example.com", "the domain of \(line)")
        try await fixture.expect("a=1", at: host)
        try await fixture.expect(nil, at: subdomain)
      }
      let last = try await fixture.set("b=1; Domain=example.com; Domain=")
      checkEqual(last.isHostOnly, true, "isHostOnly of Domain=example.com; Domain=")
    }
    Clause(
      "empty-domain-rfc6265", "in RFC 6265 an empty Domain doesn't override an earlier one",
      from: "RFC 6265 §5.2.3", requires: .configurablePolicy
    ) { fixture in
      let older = try await fixture.opening(.rfc6265)
      let last = try await older.set("a=1; Domain=example.com; Domain=")
      checkEqual(last.isHostOnly, false, "isHostOnly of Domain=example.com; Domain=")
      let only = try await older.set("b=1; Domain=")
      checkEqual(only.isHostOnly, true, "isHostOnly of Domain=")
    }
  }
}

/// A public-suffix list that accepts new rules while stores use it.
private final class GrowingSuffixList: PublicSuffixList {
  private let rules = Mutex<[String]>([])

  func grow(by rule: String) { rules.withLock { $0.append(rule) } }

  func isPublicSuffix(_ domain: String) -> Bool {
    StaticPublicSuffixList(rules: rules.withLock { $0 }).isPublicSuffix(domain)
  }
}
