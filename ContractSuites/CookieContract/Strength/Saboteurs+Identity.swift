import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var identity: [Saboteur] {
    flawed(
      "joined-key", "concatenates path and name in its key", caughtBy: "identity",
      saying: "the store lists"
    ) {
      $0.hasSameIdentity = { one, other, _ in
        one.domain == other.domain && one.isHostOnly == other.isHostOnly
          && one.path + one.name == other.path + other.name
      }
    }
    flawed("name-and-domain", "omits the path from its key", caughtBy: "identity") {
      $0.hasSameIdentity = { one, other, _ in one.domain == other.domain && one.name == other.name }
    }
    flawed(
      "twins-are-one", "omits the host-only flag from its key", caughtBy: "host-only-twin"
    ) {
      $0.hasSameIdentity = { one, other, _ in
        var other = other
        other.isHostOnly = one.isHostOnly
        return one.id == other.id
      }
    }
    flawed(
      "twins-always", "treats host-only twins as two cookies in RFC 6265 too",
      caughtBy: "host-only-twin-rfc6265"
    ) { $0.hasSameIdentity = { one, other, _ in one.id == other.id } }
    flawed(
      "creation-renewed", "gives a replaced cookie a new creation time",
      caughtBy: "overwrite-creation", saying: "the creation of a replaced cookie"
    ) { $0.inheritFromReplaced = { _, _ in } }
    flawed(
      "place-renewed", "moves a replaced cookie behind others of its creation time",
      caughtBy: "overwrite-creation", "earlier-first", saying: "in this order"
    ) { $0.keepsPosition = false }
    flawed(
      "expiry-inherited", "lets a session cookie inherit the expiry of the cookie it replaces",
      caughtBy: "overwrite-fields", saying: "the expiry is"
    ) {
      $0.inheritFromReplaced = { new, old in
        new.creation = old.creation
        new.expires = new.expires ?? old.expires
      }
    }
    flawed(
      "secure-inherited", "lets a cookie inherit Secure from the cookie it replaces",
      caughtBy: "overwrite-fields", saying: "isSecure"
    ) {
      $0.inheritFromReplaced = { new, old in
        new.creation = old.creation
        new.isSecure = new.isSecure || old.isSecure
      }
    }
    flawed(
      "whole-seconds", "truncates creation times to whole seconds", caughtBy: "creation-time",
      saying: "the creation is"
    ) {
      $0.creation = { now, _ in
        Date(timeIntervalSinceReferenceDate: now.timeIntervalSinceReferenceDate.rounded(.down))
      }
    }
    flawed(
      "creation-order-only", "orders cookies by creation only", caughtBy: "longest-path-first",
      saying: "in this order"
    ) { $0.precedesInHeader = { _, _ in false } }
    flawed(
      "by-name", "orders cookies of equal path length by name", caughtBy: "earlier-first",
      saying: "in this order"
    ) {
      $0.precedesInHeader = {
        $0.path.utf8.count == $1.path.utf8.count
          ? $0.name < $1.name : $0.path.utf8.count > $1.path.utf8.count
      }
    }
    flawed("name-case-ignored", "compares names case-insensitively", caughtBy: "name-case") {
      let correct = $0.hasSameIdentity
      $0.hasSameIdentity = { one, other, policy in
        var other = other
        if one.name.lowercased() == other.name.lowercased() { other.name = one.name }
        return correct(one, other, policy)
      }
    }
    flawed(
      "latest-time-stays", "keeps the latest last access when a cookie is replaced",
      caughtBy: "last-access-back", saying: "the last access when set again"
    ) {
      $0.inheritFromReplaced = {
        $0.creation = $1.creation
        $0.lastAccess = max($0.lastAccess, $1.lastAccess)
      }
    }
    flawed(
      "canonical-names", "treats canonically equivalent names as equal", caughtBy: "octets"
    ) {
      let correct = $0.hasSameIdentity
      $0.hasSameIdentity = { one, other, policy in
        var other = other
        if one.name == other.name { other.name = one.name }
        return correct(one, other, policy)
      }
    }
    flawed("canonical-paths", "treats canonically equivalent paths as equal", caughtBy: "octets") {
      let correct = $0.hasSameIdentity
      $0.hasSameIdentity = { one, other, policy in
        var other = other
        if one.path == other.path { other.path = one.path }
        return correct(one, other, policy)
      }
    }
    flawed(
      "canonical-deletion", "deletes every canonically equivalent name", caughtBy: "octets"
    ) { $0.isDeleted = { $0.name == $1.name && $0.domain == $1.domain && $0.path == $1.path } }
    flawed(
      "never-used", "doesn't update the last access of a cookie that it sends",
      caughtBy: "last-access",
      "least-recently-used"
    ) { $0.updatesLastAccess = false }
    flawed(
      "used-by-listing", "updates the last access of each cookie that it lists",
      caughtBy: "listing-is-no-access", "last-access"
    ) { $0.listingUpdatesLastAccess = true }
    flawed(
      "equals-kept", "sends an equals sign before a nameless value", caughtBy: "nameless-header",
      saying: "carries '=token'"
    ) {
      $0.sent = { cookies in
        for index in cookies.indices where cookies[index].name.isEmpty {
          cookies[index].value = "=" + cookies[index].value
        }
      }
    }
    flawed(
      "two-at-most", "sends at most two cookies", caughtBy: "header",
      saying: "expected 'a=1; b=2; c=3'"
    ) { $0.sent = { $0 = Array($0.prefix(2)) } }
    flawed(
      "first-twin", "replaces the first of two twins in RFC 6265", caughtBy: "reopened-rfc6265",
      saying: "the store lists"
    ) {
      $0.isPersistent = true
      $0.prefersOwnTwin = false
    }
  }
}
