import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var domain: [Saboteur] {
    flawed(
      "all-leading-dots", "strips every leading dot from Domain", caughtBy: "leading-dot",
      saying: "expected it rejected as domainMismatch"
    ) { $0.line = { line, _ in line.rewriting("Domain") { $0.replacing("..", with: ".") } } }
    flawed(
      "no-leading-dot", "rejects a Domain with a leading dot", caughtBy: "leading-dot",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { _, received in
        received.values(of: "Domain").last?.first == "." ? .domainMismatch : nil
      }
    }
    flawed(
      "domain-as-written", "keeps the case of Domain", caughtBy: "domain-case",
      saying: "the domain of EXAMPLE.Com"
    ) {
      $0.admitted = { cookie, received in
        guard !cookie.isHostOnly, let domain = received.values(of: "Domain").last else { return }
        cookie.domain = String(domain.drop { $0 == "." })
      }
    }
    flawed(
      "own-domain-is-host-only", "makes a cookie host-only if its Domain equals the host",
      caughtBy: "domain-itself", saying: "isHostOnly with Domain=example.com"
    ) {
      $0.admitted = { cookie, received in cookie.isHostOnly = cookie.domain == received.request.host
      }
    }
    flawed(
      "suffix-without-dot", "sends to every host whose name ends with the domain",
      caughtBy: "domain-match", saying: "https://badexample.com/ (http) carries"
    ) {
      $0.changeBeforeMatching { cookie, request in
        if !cookie.isHostOnly, request.host.hasSuffix(cookie.domain) {
          cookie.domain = request.host
        }
      }
    }
    flawed(
      "one-level", "sends a domain's cookie only one level below the domain",
      caughtBy: "domain-match", "domain-itself"
    ) {
      $0.sends = { cookie, request, policy in
        let levels = { (host: String) in host.filter { $0 == "." }.count }
        return policy.sends(cookie, with: request)
          && levels(request.host) <= levels(cookie.domain) + 1
      }
    }
    flawed(
      "address-suffix", "accepts part of an IP address as Domain", caughtBy: "domain-address",
      saying: "expected it rejected as domainMismatch"
    ) {
      $0.admitDomain(rejectedAs: .domainMismatch) { host, domain in
        host.allSatisfy { $0.isNumber || $0 == "." } && host.hasSuffix(".\(domain)")
      }
    }
    flawed(
      "bare-address", "rejects an IP address in brackets as Domain", caughtBy: "domain-address",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { _, received in
        received.values(of: "Domain").last?.first == "[" ? .domainMismatch : nil
      }
    }
    flawed(
      "any-ending", "accepts a Domain that is a suffix of the host without a dot",
      caughtBy: "domain-foreign", "domain-match", saying: "expected it rejected as domainMismatch"
    ) { $0.admitDomain(rejectedAs: .domainMismatch) { host, domain in host.hasSuffix(domain) } }
    flawed(
      "no-host-only", "makes no cookie host-only", caughtBy: "host-only",
      "host-only-match"
    ) { $0.admitted = { cookie, _ in cookie.isHostOnly = false } }
    flawed(
      "host-only-below", "sends host-only cookies to subdomains", caughtBy: "host-only-match",
      saying: "https://v2.api.example.com/ (http) carries"
    ) { $0.changeBeforeMatching { cookie, _ in cookie.isHostOnly = false } }
    flawed(
      "child-domain", "lets a host set cookies for its subdomains",
      caughtBy: "domain-sibling", saying: "expected it rejected as domainMismatch"
    ) {
      $0.admitDomain(rejectedAs: .domainMismatch) { host, domain in domain.hasSuffix(".\(host)") }
    }
    flawed(
      "sibling-domain", "lets a host set cookies for sibling hosts",
      caughtBy: "domain-sibling", saying: "expected it rejected as domainMismatch"
    ) {
      $0.admitDomain(rejectedAs: .domainMismatch) { host, domain in
        host.drop { $0 != "." } == domain.drop { $0 != "." }
      }
    }
    flawed(
      "super-cookie", "accepts cookies for a public suffix", caughtBy: "public-suffix",
      "public-suffix-list", saying: "expected it rejected as publicSuffix"
    ) { $0.admitDomain(rejectedAs: .publicSuffix) { _, _ in true } }
    flawed(
      "suffix-with-dot", "doesn't recognize a public suffix with a trailing dot",
      caughtBy: "public-suffix", saying: "'a=1; Domain=com.' from"
    ) { $0.admitDomain(rejectedAs: .publicSuffix) { _, domain in domain.hasSuffix(".") } }
    flawed(
      "top-level-only", "treats only top-level domains as public suffixes",
      caughtBy: "public-suffix-list", saying: "co.uk"
    ) { $0.policy = { $0.publicSuffixes = .topLevelDomains } }
    flawed(
      "suffix-host-refused", "rejects a cookie that a public suffix sets for itself",
      caughtBy: "suffix-host", saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, received in
        received.values(of: "Domain") == ["localhost"] ? .publicSuffix : nil
      }
    }
    flawed(
      "suffix-host-wide", "lets a public suffix set a cookie for its subdomains",
      caughtBy: "suffix-host", saying: "isHostOnly"
    ) {
      $0.admitted = { cookie, received in
        if !received.values(of: "Domain").allSatisfy(\.isEmpty),
          received.policy.isPublicSuffix(cookie.domain)
        {
          cookie.isHostOnly = false
        }
      }
      $0.sends = {
        var policy = $2
        policy.publicSuffixes = .noSuffixes
        return policy.sends($0, with: $1)
      }
    }
    flawed(
      "suffix-when-set", "checks public suffixes only when a cookie is set",
      caughtBy: "later-suffix", saying: "carries 'a=1', expected nothing"
    ) {
      $0.sends = {
        var policy = $2
        policy.publicSuffixes = .noSuffixes
        return policy.sends($0, with: $1)
      }
    }
    flawed(
      "u-labels", "stores hosts as U-labels", caughtBy: "idn",
      saying: "the domain of bücher.example"
    ) {
      $0.admitted = { cookie, _ in
        cookie.domain = cookie.domain.replacing("xn--bcher-kva", with: "bücher")
      }
    }
    flawed(
      "non-ascii-ignored", "ignores a non-ASCII Domain and keeps the cookie",
      caughtBy: "non-ascii-domain", saying: "expected it rejected as nonASCIIDomain"
    ) {
      $0.admit(rejectedAs: .nonASCIIDomain) { line, _, _ in line.rewrite("Domain") { _ in nil } }
    }
    flawed(
      "drops-trailing-dot", "strips a trailing dot from Domain", caughtBy: "trailing-dot",
      saying: "expected it rejected as domainMismatch"
    ) {
      $0.line = { line, _ in
        line.rewriting("Domain") { $0.hasSuffix("m.") ? String($0.dropLast()) : $0 }
      }
    }
    flawed(
      "keeps-port", "keeps the port as part of the host", caughtBy: "port",
      saying: "the domain of a host with a port"
    ) { $0.admitted = { cookie, _ in cookie.domain += ":443" } }
    flawed(
      "empty-domain-refused", "rejects an empty Domain", caughtBy: "empty-domain",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { _, received in
        received.values(of: "Domain").last == "" ? .domainMismatch : nil
      }
    }
    flawed(
      "empty-domain-of-old", "ignores an empty Domain as RFC 6265 does", caughtBy: "empty-domain",
      saying: "isHostOnly of Domain=example.com; Domain="
    ) { $0.line = { line, _ in line.rewriting("Domain") { $0.isEmpty ? nil : $0 } } }
    flawed(
      "empty-domain-of-new", "lets an empty Domain override an earlier one in RFC 6265 too",
      caughtBy: "empty-domain-rfc6265", saying: "isHostOnly of Domain=example.com; Domain="
    ) {
      $0.admitted = { cookie, received in
        if received.values(of: "Domain").last == "" { cookie.isHostOnly = true }
      }
    }
    flawed(
      "unicode-lower-case", "converts Domain to lower case by Unicode's rules",
      caughtBy: "ascii-case", saying: "expected it rejected as nonASCIIDomain"
    ) { $0.line = { line, _ in line.rewriting("Domain") { $0.lowercased() } } }
    flawed(
      "unicode-attributes", "compares attribute names by Unicode's case folding",
      caughtBy: "ascii-case", saying: "isSecure with an attribute that begins with U+017F"
    ) { $0.line = { line, _ in line.replacing("; \u{17F}ecure", with: "; secure") } }
    flawed(
      "address-with-dot", "keeps the final dot of an IPv4 address", caughtBy: "address-forms",
      saying: "the domain of 127.0.0.1."
    ) { $0.admitted = { cookie, _ in if cookie.domain == "127.0.0.1" { cookie.domain += "." } } }
    flawed(
      "one-zero", "replaces a single zero of an IPv6 address by two colons",
      caughtBy: "address-zeros", saying: "the domain of [1:2:3:4:5:6:7::] is '1:2:3:4:5:6:7::'"
    ) {
      $0.admitted = { cookie, _ in
        if cookie.domain.hasSuffix(":7:0") {
          cookie.domain = String(cookie.domain.dropLast()) + ":"
        }
      }
    }
    flawed(
      "shorter-hosts", "rejects hosts of more than 252 octets", caughtBy: "longest-host",
      saying: "expected it stored"
    ) { $0.rejectAdmitted = { $1.request.host.utf8.count > 252 ? .domainMismatch : nil } }
    flawed(
      "hexadecimal-prefix", "takes each last label that begins with 0x for a number",
      caughtBy: "almost-address", saying: "expected it stored"
    ) { $0.rejectAdmitted = { $1.request.host.contains(".0x") ? .domainMismatch : nil } }
    flawed(
      "host-of-letters", "leaves out bytes of Domain that no host may have",
      caughtBy: "host-bytes", saying: "expected it rejected as domainMismatch"
    ) { $0.line = { line, _ in line.rewriting("Domain") { $0.filter { !"<^|@".contains($0) } } } }
  }
}
