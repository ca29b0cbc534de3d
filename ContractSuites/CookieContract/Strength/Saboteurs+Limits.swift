import ContractTesting
import CookiePort
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var limits: [Saboteur] {
    flawed(
      "forty-nine", "keeps 49 cookies per domain", caughtBy: "fifty-per-domain"
    ) { $0.policy = { $0.limits.perDomain = 49 } }
    flawed(
      "three-hundred", "keeps 300 cookies in total, as user agents once did",
      caughtBy: "three-thousand",
      saying: "the number of cookies kept of 3,000"
    ) { $0.policy = { $0.limits.total = 300 } }
    flawed(
      "always-one", "keeps one cookie per domain although the limit is zero", caughtBy: "no-room",
      saying: "the store lists"
    ) { $0.policy = { $0.limits.perDomain = max(1, $0.limits.perDomain) } }
    flawed(
      "one-more-per-domain", "allows one cookie too many per domain", caughtBy: "domain-limit",
      "changes-evicted"
    ) { $0.policy = { $0.limits.perDomain += 1 } }
    flawed("one-more-in-all", "keeps one cookie too many in total", caughtBy: "total-limit") {
      $0.policy = { $0.limits.total += 1 }
    }
    flawed(
      "secure-stays", "spares Secure cookies when the total limit is exceeded",
      caughtBy: "total-limit"
    ) { $0.evictsFirstFromStore = $0.evictsFirstFromDomain }
    flawed(
      "secure-goes", "doesn't spare Secure cookies when the limit per domain is exceeded",
      caughtBy: "eviction-order"
    ) { $0.evictsFirstFromDomain = $0.evictsFirstFromStore }
    flawed(
      "oldest-goes", "evicts by creation instead of last access", caughtBy: "least-recently-used"
    ) {
      $0.evictsFirstFromDomain = { $0.creation < $1.creation }
      $0.evictsFirstFromStore = { $0.creation < $1.creation }
    }
    flawed(
      "latest-goes", "evicts the latest of several cookies with equal last access",
      caughtBy: "least-recently-used"
    ) {
      $0.evictsFirstFromDomain = {
        $0.lastAccess == $1.lastAccess ? $0.name > $1.name : $0.lastAccess < $1.lastAccess
      }
    }
    flawed(
      "latest-creation-goes",
      "evicts the latest creation of several cookies with equal last access",
      caughtBy: "eviction-ties", saying: "the store lists"
    ) {
      $0.evictsFirstFromDomain = {
        $0.lastAccess == $1.lastAccess ? $0.creation > $1.creation : $0.lastAccess < $1.lastAccess
      }
      $0.evictsFirstFromStore = $0.evictsFirstFromDomain
    }
    flawed(
      "restores-above-limits", "restores cookies above the limits", caughtBy: "restore-evicts",
      saying: "the store lists"
    ) { $0.restoringEvicts = false }
    flawed(
      "replacing-evicts", "evicts cookies above lowered limits when one is replaced",
      caughtBy: "reopened-limits", saying: "the store lists"
    ) {
      $0.isPersistent = true
      $0.replacingEvicts = true
    }
  }
}
