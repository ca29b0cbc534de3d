import ContractTesting
import CookiePort
import Foundation
import Testing

extension Flaws {
  /// Sends what the rules send for a cookie that is changed before.
  fileprivate mutating func sendAfter(
    _ change: @escaping @Sendable (inout Cookie, inout CookieRequest) -> Void
  ) {
    sends = { cookie, request, policy in
      var cookie = cookie
      var request = request
      change(&cookie, &request)
      return policy.sends(cookie, with: request)
    }
  }

  /// Stores what is to be refused for a reason, as a changed line or request would have it.
  fileprivate mutating func pardon(
    _ reason: CookieRejection,
    where isPardoned: @escaping @Sendable (Arrival) -> Bool = { _ in true },
    _ change: @escaping @Sendable (inout String, inout CookieRequest, inout CookiePolicy) -> Void
  ) {
    pardon = { rejection, arrival in
      guard rejection == reason, isPardoned(arrival) else { return nil }
      return arrival.admitted(change)
    }
  }

  /// Stores a cookie for the domain that it names although that is to be refused.
  fileprivate mutating func pardonDomain(
    _ reason: CookieRejection,
    where isPardoned: @escaping @Sendable (_ host: String, _ domain: String) -> Bool
  ) {
    pardon = { rejection, arrival in
      guard rejection == reason, let cookie = arrival.forNamedDomain(),
        isPardoned(arrival.request.host, cookie.domain)
      else { return nil }
      return cookie
    }
  }
}

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var domain: [Saboteur] {
    Saboteur(
      "all-leading-dots", "passes over every leading dot", caughtBy: "leading-dot",
      saying: "expected it refused as domainMismatch"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Domain") { $0.replacing("..", with: ".") } }
      }
    }
    Saboteur(
      "no-leading-dot", "refuses a Domain with a leading dot", caughtBy: "leading-dot",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { _, arrival in
          arrival.values(of: "Domain").last?.first == "." ? .domainMismatch : nil
        }
      }
    }
    Saboteur(
      "domain-as-written", "keeps the case of Domain", caughtBy: "domain-case",
      saying: "the domain of EXAMPLE.Com"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          guard !cookie.isHostOnly, let domain = arrival.values(of: "Domain").last else { return }
          cookie.domain = String(domain.drop { $0 == "." })
        }
      }
    }
    Saboteur(
      "own-domain-is-host-only", "makes a cookie whose Domain is the host host-only",
      caughtBy: "domain-itself", saying: "isHostOnly with Domain=example.com"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in cookie.isHostOnly = cookie.domain == arrival.request.host
        }
      }
    }
    Saboteur(
      "suffix-without-dot", "sends to every host that ends like the domain",
      caughtBy: "domain-match", saying: "https://badexample.com/ (http) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, request in
          if !cookie.isHostOnly, request.host.hasSuffix(cookie.domain) {
            cookie.domain = request.host
          }
        }
      }
    }
    Saboteur(
      "one-level", "sends a domain's cookie one level below and no further",
      caughtBy: "domain-match", "domain-itself"
    ) {
      try await .flawed(in: $0) {
        $0.sends = { cookie, request, policy in
          let levels = { (host: String) in host.filter { $0 == "." }.count }
          return policy.sends(cookie, with: request)
            && levels(request.host) <= levels(cookie.domain) + 1
        }
      }
    }
    Saboteur(
      "address-suffix", "takes a part of an address for a domain", caughtBy: "domain-address",
      saying: "expected it refused as domainMismatch"
    ) {
      try await .flawed(in: $0) {
        $0.pardonDomain(.domainMismatch) { host, domain in
          host.allSatisfy { $0.isNumber || $0 == "." } && host.hasSuffix(".\(domain)")
        }
      }
    }
    Saboteur(
      "bare-address", "takes no address in brackets for a domain", caughtBy: "domain-address",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { _, arrival in
          arrival.values(of: "Domain").last?.first == "[" ? .domainMismatch : nil
        }
      }
    }
    Saboteur(
      "any-ending", "lets in a Domain that the host ends in, dot or no dot",
      caughtBy: "domain-foreign", "domain-match", saying: "expected it refused as domainMismatch"
    ) {
      try await .flawed(in: $0) {
        $0.pardonDomain(.domainMismatch) { host, domain in host.hasSuffix(domain) }
      }
    }
    Saboteur(
      "no-host-only", "covers the hosts below where Domain is missing", caughtBy: "host-only",
      "host-only-match"
    ) {
      try await .flawed(in: $0) { $0.admitted = { cookie, _ in cookie.isHostOnly = false } }
    }
    Saboteur(
      "host-only-below", "sends host-only cookies to the hosts below", caughtBy: "host-only-match",
      saying: "https://v2.api.example.com/ (http) carries"
    ) {
      try await .flawed(in: $0) { $0.sendAfter { cookie, _ in cookie.isHostOnly = false } }
    }
    Saboteur(
      "child-domain", "lets a host set cookies for hosts below it alone",
      caughtBy: "domain-sibling", saying: "expected it refused as domainMismatch"
    ) {
      try await .flawed(in: $0) {
        $0.pardonDomain(.domainMismatch) { host, domain in domain.hasSuffix(".\(host)") }
      }
    }
    Saboteur(
      "sibling-domain", "lets a host set cookies for hosts beside it",
      caughtBy: "domain-sibling", saying: "expected it refused as domainMismatch"
    ) {
      try await .flawed(in: $0) {
        $0.pardonDomain(.domainMismatch) { host, domain in
          host.drop { $0 != "." } == domain.drop { $0 != "." }
        }
      }
    }
    Saboteur(
      "super-cookie", "lets in cookies for a public suffix", caughtBy: "public-suffix",
      "public-suffix-list", saying: "expected it refused as publicSuffix"
    ) {
      try await .flawed(in: $0) { $0.pardonDomain(.publicSuffix) { _, _ in true } }
    }
    Saboteur(
      "suffix-with-dot", "doesn't know a public suffix by its trailing dot",
      caughtBy: "public-suffix", saying: "'a=1; Domain=com.' from"
    ) {
      try await .flawed(in: $0) {
        $0.pardonDomain(.publicSuffix) { _, domain in domain.hasSuffix(".") }
      }
    }
    Saboteur(
      "top-level-only", "takes top-level domains alone for public suffixes",
      caughtBy: "public-suffix-list", saying: "co.uk"
    ) {
      try await .flawed(in: $0) { $0.policy = { $0.publicSuffixes = .topLevelDomains } }
    }
    Saboteur(
      "suffix-host-refused", "refuses a public suffix's cookie for itself",
      caughtBy: "suffix-host", saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, arrival in
          arrival.values(of: "Domain") == ["localhost"] ? .publicSuffix : nil
        }
      }
    }
    Saboteur(
      "suffix-host-wide", "lets a public suffix set a cookie for all below it",
      caughtBy: "suffix-host", saying: "isHostOnly"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if !arrival.values(of: "Domain").allSatisfy(\.isEmpty),
            arrival.policy.isPublicSuffix(cookie.domain)
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
    }
    Saboteur(
      "suffix-when-set", "asks for public suffixes when a cookie is set, and never again",
      caughtBy: "later-suffix", saying: "carries 'a=1', expected nothing"
    ) {
      try await .flawed(in: $0) {
        $0.sends = {
          var policy = $2
          policy.publicSuffixes = .noSuffixes
          return policy.sends($0, with: $1)
        }
      }
    }
    Saboteur(
      "u-labels", "keeps hosts in U-labels", caughtBy: "idn", saying: "the domain of bücher.example"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, _ in
          cookie.domain = cookie.domain.replacing("xn--bcher-kva", with: "bücher")
        }
      }
    }
    Saboteur(
      "non-ascii-ignored", "ignores a Domain outside ASCII and keeps the cookie",
      caughtBy: "non-ascii-domain", saying: "expected it refused as nonASCIIDomain"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(.nonASCIIDomain) { line, _, _ in line.rewrite("Domain") { _ in nil } }
      }
    }
    Saboteur(
      "drops-trailing-dot", "drops a trailing dot of Domain", caughtBy: "trailing-dot",
      saying: "expected it refused as domainMismatch"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in
          line.rewriting("Domain") { $0.hasSuffix("m.") ? String($0.dropLast()) : $0 }
        }
      }
    }
    Saboteur(
      "keeps-port", "keeps a port with the host", caughtBy: "port",
      saying: "the domain of a host with a port"
    ) {
      try await .flawed(in: $0) { $0.admitted = { cookie, _ in cookie.domain += ":443" } }
    }
    Saboteur(
      "empty-domain-refused", "refuses an empty Domain", caughtBy: "empty-domain",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { _, arrival in
          arrival.values(of: "Domain").last == "" ? .domainMismatch : nil
        }
      }
    }
    Saboteur(
      "empty-domain-of-old", "ignores an empty Domain as RFC 6265 does", caughtBy: "empty-domain",
      saying: "isHostOnly of Domain=example.com; Domain="
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Domain") { $0.isEmpty ? nil : $0 } }
      }
    }
    Saboteur(
      "empty-domain-of-new", "lets an empty Domain undo an earlier one in RFC 6265 too",
      caughtBy: "empty-domain-rfc6265", saying: "isHostOnly of Domain=example.com; Domain="
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.values(of: "Domain").last == "" { cookie.isHostOnly = true }
        }
      }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var path: [Saboteur] {
    Saboteur(
      "default-path-with-slash", "keeps the last slash in a default path",
      caughtBy: "default-path", "path-query", saying: "the path set at"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          let path = arrival.request.path
          guard arrival.values(of: "Path").isEmpty, let slash = path.lastIndex(of: "/") else {
            return
          }
          cookie.path = String(path[...slash])
        }
      }
    }
    Saboteur(
      "default-path-root", "takes / for every default path", caughtBy: "default-path", "no-path",
      saying: "is '/'"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if !arrival.values(of: "Path").contains(where: { $0.hasPrefix("/") }) {
            cookie.path = "/"
          }
        }
      }
    }
    Saboteur(
      "adds-slash", "puts a slash before a Path that has none", caughtBy: "no-path",
      saying: "the path of Path=docs"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Path") { $0 == "docs" ? "/docs" : $0 } }
      }
    }
    Saboteur(
      "empty-path-root", "takes an empty Path for /", caughtBy: "no-path", saying: "Path= is '/'"
    ) {
      try await .flawed(in: $0) {
        $0.line = { line, _ in line.rewriting("Path") { $0.isEmpty ? "/" : $0 } }
      }
    }
    Saboteur(
      "only-below", "sends to what is under a path and not to the path itself",
      caughtBy: "path-itself", "path-match", saying: "carries nothing"
    ) {
      try await .flawed(in: $0) {
        $0.sends = {
          $2.sends($0, with: $1) && ($0.path.hasSuffix("/") || $0.path != $1.path)
        }
      }
    }
    Saboteur(
      "path-slash-optional", "sends a cookie of /docs/ to /docs", caughtBy: "path-slash",
      saying: "https://example.com/docs (http) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, _ in
          if cookie.path.count > 1, cookie.path.hasSuffix("/") { cookie.path.removeLast() }
        }
      }
    }
    Saboteur(
      "path-two-slashes", "wants a slash after a path that ends in one", caughtBy: "path-slash",
      saying: "https://example.com/docs/page (http) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, request in
          if cookie.path.count > 1, cookie.path.hasSuffix("/"), request.path != cookie.path {
            cookie.path += "/"
          }
        }
      }
    }
    Saboteur(
      "path-prefix", "compares paths by their beginnings alone", caughtBy: "path-match",
      saying: "https://example.com/docsets (http) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, request in
          if request.path.hasPrefix(cookie.path) { cookie.path = "/" }
        }
      }
    }
    Saboteur(
      "path-case-ignored", "compares paths without regard to case", caughtBy: "path-case",
      saying: "https://example.com/docs/page (http) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, request in
          if request.path.lowercased().hasPrefix(cookie.path.lowercased() + "/") {
            cookie.path = "/"
          }
        }
      }
    }
    Saboteur(
      "path-decoded", "decodes percent forms before it compares paths", caughtBy: "path-percent",
      saying: "https://example.com/%61 (http) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, request in
          if request.path.removingPercentEncoding == cookie.path { cookie.path = "/" }
        }
      }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var secure: [Saboteur] {
    Saboteur(
      "secure-over-http", "sends Secure cookies over http", caughtBy: "secure-get",
      saying: "http://example.com/ (http) carries"
    ) {
      try await .flawed(in: $0) { $0.sendAfter { cookie, _ in cookie.isSecure = false } }
    }
    Saboteur(
      "secure-from-http", "takes Secure cookies from http", caughtBy: "secure-set",
      saying: "expected it refused as insecureOrigin"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(.insecureOrigin) { _, request, _ in request.isSecure = true }
      }
    }
    Saboteur(
      "secure-strict", "refuses Secure cookies from http in RFC 6265 too",
      caughtBy: "secure-set-rfc6265", saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, arrival in
          cookie.isSecure && !arrival.request.isSecure ? .insecureOrigin : nil
        }
      }
    }
    Saboteur(
      "overlay-same-domain", "guards Secure cookies of the very same domain alone",
      caughtBy: "overlay", saying: "expected it refused as overlaysSecure"
    ) {
      try await .flawed(in: $0) {
        let sound = $0.overlays
        $0.overlays = { sound($0, $1, $2) && $0.domain == $1.domain }
      }
    }
    Saboteur(
      "overlay-below-only", "guards Secure cookies against domains below theirs alone",
      caughtBy: "overlay", saying: "expected it refused as overlaysSecure"
    ) {
      try await .flawed(in: $0) {
        let sound = $0.overlays
        $0.overlays = { sound($0, $1, $2) && $0.domain.hasSuffix($1.domain) }
      }
    }
    Saboteur(
      "overlay-any-name", "guards every cookie beside a Secure one", caughtBy: "overlay",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        let sound = $0.overlays
        $0.overlays = { new, old, policy in
          var old = old
          old.name = new.name
          return sound(new, old, policy)
        }
      }
    }
    Saboteur(
      "overlay-symmetric", "guards Secure cookies against shorter paths too",
      caughtBy: "overlay-beside", saying: "'a=2; Path=/' from http://example.com/"
    ) {
      try await .flawed(in: $0) {
        let sound = $0.overlays
        $0.overlays = { new, old, policy in
          var swapped = (new: new, old: old)
          swapped.new.path = old.path
          swapped.old.path = new.path
          return sound(new, old, policy) || sound(swapped.new, swapped.old, policy)
        }
      }
    }
    Saboteur(
      "overlay-prefix", "guards Secure cookies by the beginning of the path",
      caughtBy: "overlay-beside", saying: "/loginform"
    ) {
      try await .flawed(in: $0) {
        let sound = $0.overlays
        $0.overlays = { new, old, policy in
          var old = old
          if new.path.hasPrefix(old.path) { old.path = "/" }
          return sound(new, old, policy)
        }
      }
    }
    Saboteur(
      "overlaid-by-expired", "guards Secure cookies that have expired",
      caughtBy: "overlay-expired", saying: "expected it stored"
    ) {
      try await .flawed(in: $0) { $0.isOverlaidByExpired = true }
    }
    Saboteur(
      "no-secure-prefix", "doesn't know the prefix __Secure-", caughtBy: "secure-prefix",
      saying: "expected it refused as securePrefix"
    ) {
      try await .flawed(in: $0) { $0.pardon(.securePrefix) { $2.profile = .rfc6265 } }
    }
    Saboteur(
      "secure-prefix-strict", "wants of __Secure- what __Host- needs", caughtBy: "secure-prefix",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, _ in
          cookie.name.hasPrefix("__Secure-") && !cookie.isHostOnly ? .hostPrefix : nil
        }
      }
    }
    Saboteur(
      "host-prefix-any-path", "doesn't ask __Host- for Path=/", caughtBy: "host-prefix",
      saying: "expected it refused as hostPrefix"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(
          .hostPrefix, where: { $0.line.contains("Secure;") || $0.line.hasSuffix("Secure") }
        ) { line, _, policy in
          if !line.contains("Domain") { policy.profile = .rfc6265 }
        }
      }
    }
    Saboteur(
      "host-prefix-implied-path", "takes the default path / for Path=/ with __Host-",
      caughtBy: "host-prefix", saying: "'__Host-a=1; Secure' from"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(.hostPrefix, where: { $0.values(of: "Path").isEmpty }) { line, _, _ in
          line += "; Path=/"
        }
      }
    }
    Saboteur(
      "prefix-as-written", "knows prefixes only as they are written", caughtBy: "prefix-case",
      saying: "expected it refused as"
    ) {
      try await .flawed(in: $0) {
        $0.pardon = { rejection, arrival in
          guard rejection == .securePrefix || rejection == .hostPrefix,
            !arrival.line.hasPrefix("__Secure-"), !arrival.line.hasPrefix("__Host-")
          else { return nil }
          return arrival.admitted { $2.profile = .rfc6265 }
        }
      }
    }
    Saboteur(
      "prefix-in-value", "lets a nameless value pass for a prefixed cookie",
      caughtBy: "prefix-nameless", saying: "expected it refused as namelessPrefix"
    ) {
      try await .flawed(in: $0) {
        $0.pardon = { rejection, arrival in
          guard rejection == .namelessPrefix else { return nil }
          var cookie = arrival.admitted { line, _, policy in
            policy.profile = .rfc6265
            line = "x=" + line.drop { $0 == "=" }
          }
          cookie?.name = ""
          return cookie
        }
      }
    }
    Saboteur(
      "prefixes-always", "knows prefixes in RFC 6265 too", caughtBy: "prefix-rfc6265",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, _ in
          cookie.name.hasPrefix("__Secure-") && !cookie.isSecure ? .securePrefix : nil
        }
      }
    }
    Saboteur(
      "trusts-nobody", "doesn't trust this machine though told to", caughtBy: "localhost",
      saying: "expected it stored"
    ) {
      try await .flawed(in: $0) { $0.policy = { $0.trustsLocalhost = false } }
    }
    Saboteur(
      "trusts-localhost-always", "trusts this machine though not told to", caughtBy: "localhost",
      saying: "expected it refused as insecureOrigin"
    ) {
      try await .flawed(in: $0) { $0.policy = { $0.trustsLocalhost = true } }
    }
    Saboteur(
      "loopback-by-name", "doesn't know IPv6's loopback", caughtBy: "localhost",
      saying: "http://[::1]/"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, arrival in
          cookie.isSecure && !arrival.request.isSecure && arrival.request.host == "::1"
            ? .insecureOrigin : nil
        }
      }
    }
  }

  @SaboteurBuilder<CookieStoreFixture>
  static var sameSite: [Saboteur] {
    Saboteur(
      "http-only-shown", "shows HttpOnly cookies to scripts", caughtBy: "http-only-get",
      saying: "(script) carries"
    ) {
      try await .flawed(in: $0) { $0.sendAfter { cookie, _ in cookie.isHTTPOnly = false } }
    }
    Saboteur(
      "http-only-by-script", "takes HttpOnly cookies from scripts", caughtBy: "http-only-set",
      saying: "expected it refused as httpOnlyFromScript"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(.httpOnlyFromScript) { _, request, _ in request.access = .http }
      }
    }
    Saboteur(
      "http-only-replaced", "lets scripts replace HttpOnly cookies",
      caughtBy: "http-only-overwrite",
      "rejection", saying: "overwritesHTTPOnly"
    ) {
      try await .flawed(in: $0) { $0.guardsHTTPOnly = false }
    }
    Saboteur(
      "unknown-is-lax", "takes an unknown SameSite for Lax", caughtBy: "same-site-values",
      saying: "SameSite of 'SameSite=Default' is lax"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if !arrival.values(of: "SameSite").isEmpty, cookie.sameSite == .unspecified {
            cookie.sameSite = .lax
          }
        }
      }
    }
    Saboteur(
      "same-site-as-written", "knows SameSite's values only as they are written",
      caughtBy: "same-site-values", saying: "SameSite of 'SameSite=STRICT'"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          let value = arrival.values(of: "SameSite").last ?? ""
          if !["Strict", "Lax", "None"].contains(value) { cookie.sameSite = .unspecified }
        }
      }
    }
    Saboteur(
      "none-insecure", "takes SameSite=None without Secure", caughtBy: "none-needs-secure",
      saying: "expected it refused as sameSiteNoneNeedsSecure"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(.sameSiteNoneNeedsSecure) { line, _, _ in line.rewrite("SameSite") { _ in nil } }
      }
    }
    Saboteur(
      "strict-is-lax", "takes Strict for Lax when it sends", caughtBy: "strict",
      saying: "(cross-site navigation) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, _ in if cookie.sameSite == .strict { cookie.sameSite = .lax } }
      }
    }
    Saboteur(
      "lax-unsafe", "sends Lax cookies with unsafe methods", caughtBy: "lax",
      saying: "(cross-site unsafe navigation) carries"
    ) {
      try await .flawed(in: $0) { $0.sendAfter { _, request in request.isSafeMethod = true } }
    }
    Saboteur(
      "default-is-none", "takes a missing SameSite for None when it sends", caughtBy: "lax",
      saying: "(cross-site) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, _ in if cookie.sameSite == .unspecified { cookie.sameSite = .none } }
      }
    }
    Saboteur(
      "lax-subresource", "sends Lax cookies with every safe cross-site request", caughtBy: "lax",
      saying: "(cross-site) carries"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { _, request in request.isTopLevelNavigation = true }
      }
    }
    Saboteur(
      "scripts-navigate", "lets a script pass for the navigation to its page", caughtBy: "lax",
      "cross-site-set", saying: "cross-site script after navigation"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { _, request in request.access = .http }
        $0.pardon(.crossSite, where: { $0.request.isTopLevelNavigation }) { _, request, _ in
          request.access = .http
        }
      }
    }
    Saboteur(
      "none-is-lax", "takes None for Lax when it sends", caughtBy: "none",
      saying: "(cross-site) carries nothing"
    ) {
      try await .flawed(in: $0) {
        $0.sendAfter { cookie, _ in if cookie.sameSite == .none { cookie.sameSite = .lax } }
      }
    }
    Saboteur(
      "cross-site-default", "takes cookies without SameSite from cross-site requests",
      caughtBy: "cross-site-set", saying: "expected it refused as crossSite"
    ) {
      try await .flawed(in: $0) {
        $0.pardon(.crossSite, where: { $0.values(of: "SameSite").isEmpty }) {
          _, request, _ in request.isSameSite = true
        }
      }
    }
    Saboteur(
      "cross-site-navigation", "refuses cookies from cross-site navigations",
      caughtBy: "cross-site-set", saying: "expected it stored"
    ) {
      try await .flawed(in: $0) {
        $0.refusal = { cookie, arrival in
          cookie.sameSite != .none && !arrival.request.isSameSite ? .crossSite : nil
        }
      }
    }
    Saboteur(
      "same-site-always", "heeds SameSite in RFC 6265 too", caughtBy: "same-site-rfc6265",
      saying: "SameSite in RFC 6265"
    ) {
      try await .flawed(in: $0) {
        $0.admitted = { cookie, arrival in
          if arrival.values(of: "SameSite") == ["Strict"] { cookie.sameSite = .strict }
        }
      }
    }
  }
}
