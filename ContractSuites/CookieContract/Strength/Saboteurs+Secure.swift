import ContractTesting
import CookiePort
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var secure: [Saboteur] {
    flawed(
      "secure-over-http", "sends Secure cookies over http", caughtBy: "secure-get",
      saying: "http://example.com/ (http) carries"
    ) { $0.changeBeforeMatching { cookie, _ in cookie.isSecure = false } }
    flawed(
      "secure-from-http", "accepts Secure cookies from http", caughtBy: "secure-set",
      saying: "expected it rejected as insecureOrigin"
    ) { $0.admit(rejectedAs: .insecureOrigin) { _, request, _ in request.isSecure = true } }
    flawed(
      "secure-strict", "rejects Secure cookies from http in RFC 6265 too",
      caughtBy: "secure-set-rfc6265", saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, received in
        cookie.isSecure && !received.request.isSecure ? .insecureOrigin : nil
      }
    }
    flawed(
      "overlay-same-domain", "protects Secure cookies of the same domain only",
      caughtBy: "overlay", saying: "expected it rejected as overlaysSecure"
    ) {
      let correct = $0.overlaysSecure
      $0.overlaysSecure = { correct($0, $1, $2) && $0.domain == $1.domain }
    }
    flawed(
      "overlay-below-only", "protects Secure cookies against subdomains only",
      caughtBy: "overlay", saying: "expected it rejected as overlaysSecure"
    ) {
      let correct = $0.overlaysSecure
      $0.overlaysSecure = { correct($0, $1, $2) && $0.domain.hasSuffix($1.domain) }
    }
    flawed(
      "overlay-any-name", "protects cookies whose name differs from the Secure cookie's",
      caughtBy: "overlay",
      saying: "expected it stored"
    ) {
      let correct = $0.overlaysSecure
      $0.overlaysSecure = { new, old, policy in
        var old = old
        old.name = new.name
        return correct(new, old, policy)
      }
    }
    flawed(
      "overlay-symmetric", "protects Secure cookies against shorter paths too",
      caughtBy: "overlay-beside", saying: "'a=2; Path=/' from http://example.com/"
    ) {
      let correct = $0.overlaysSecure
      $0.overlaysSecure = { new, old, policy in
        var swapped = (new: new, old: old)
        swapped.new.path = old.path
        swapped.old.path = new.path
        return correct(new, old, policy) || correct(swapped.new, swapped.old, policy)
      }
    }
    flawed(
      "overlay-prefix", "compares paths as string prefixes when it protects Secure cookies",
      caughtBy: "overlay-beside", saying: "/loginform"
    ) {
      let correct = $0.overlaysSecure
      $0.overlaysSecure = { new, old, policy in
        var old = old
        if new.path.hasPrefix(old.path) { old.path = "/" }
        return correct(new, old, policy)
      }
    }
    flawed(
      "overlaid-by-expired", "protects Secure cookies that have expired",
      caughtBy: "overlay-expired", saying: "expected it stored"
    ) { $0.expiredBlocksOverlay = true }
    flawed(
      "no-secure-prefix", "doesn't know the prefix __Secure-", caughtBy: "secure-prefix",
      saying: "expected it rejected as securePrefix"
    ) { $0.admit(rejectedAs: .securePrefix) { $2.profile = .rfc6265 } }
    flawed(
      "secure-prefix-strict", "requires of __Secure- what __Host- requires",
      caughtBy: "secure-prefix",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, _ in
        cookie.name.hasPrefix("__Secure-") && !cookie.isHostOnly ? .hostPrefix : nil
      }
    }
    flawed(
      "host-prefix-any-path", "doesn't require Path=/ of __Host-", caughtBy: "host-prefix",
      saying: "expected it rejected as hostPrefix"
    ) {
      $0.admit(
        rejectedAs: .hostPrefix,
        where: { $0.line.contains("Secure;") || $0.line.hasSuffix("Secure") }
      ) { line, _, policy in
        if !line.contains("Domain") { policy.profile = .rfc6265 }
      }
    }
    flawed(
      "host-prefix-implied-path", "accepts the default path / as Path=/ for __Host-",
      caughtBy: "host-prefix", saying: "'__Host-a=1; Secure' from"
    ) {
      $0.admit(rejectedAs: .hostPrefix, where: { $0.values(of: "Path").isEmpty }) { line, _, _ in
        line += "; Path=/"
      }
    }
    flawed(
      "prefix-as-written", "compares prefixes case-sensitively", caughtBy: "prefix-case",
      saying: "expected it rejected as"
    ) {
      $0.admitRejected = { rejection, received in
        guard rejection == .securePrefix || rejection == .hostPrefix,
          !received.line.hasPrefix("__Secure-"), !received.line.hasPrefix("__Host-")
        else { return nil }
        return received.cookie { $2.profile = .rfc6265 }
      }
    }
    flawed(
      "prefix-in-value", "accepts a nameless value that looks like a prefixed cookie",
      caughtBy: "prefix-nameless", saying: "expected it rejected as namelessPrefix"
    ) {
      $0.admitRejected = { rejection, received in
        guard rejection == .namelessPrefix else { return nil }
        var cookie = received.cookie { line, _, policy in
          policy.profile = .rfc6265
          line = "x=" + line.drop { $0 == "=" }
        }
        cookie?.name = ""
        return cookie
      }
    }
    flawed(
      "prefixes-always", "checks prefixes in RFC 6265 too", caughtBy: "prefix-rfc6265",
      saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, _ in
        cookie.name.hasPrefix("__Secure-") && !cookie.isSecure ? .securePrefix : nil
      }
    }
    flawed(
      "trusts-nobody", "doesn't trust localhost although the policy does", caughtBy: "localhost",
      saying: "expected it stored"
    ) { $0.policy = { $0.trustsLocalhost = false } }
    flawed(
      "trusts-localhost-always", "trusts localhost although the policy doesn't",
      caughtBy: "localhost",
      saying: "expected it rejected as insecureOrigin"
    ) { $0.policy = { $0.trustsLocalhost = true } }
    flawed(
      "loopback-by-name", "doesn't know the IPv6 loopback address", caughtBy: "localhost",
      saying: "http://[::1]/"
    ) {
      $0.rejectAdmitted = { cookie, received in
        cookie.isSecure && !received.request.isSecure && received.request.host == "::1"
          ? .insecureOrigin : nil
      }
    }
    flawed(
      "localhost-without-dot", "trusts localhost only without a trailing dot",
      caughtBy: "localhost-dot", saying: "expected it stored"
    ) {
      $0.rejectAdmitted = { cookie, received in
        cookie.isSecure && !received.request.isSecure && received.request.host.hasSuffix(".")
          ? .insecureOrigin : nil
      }
    }
  }
}
