import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieStoreFixture> {
  /// Declares a saboteur: a ``FlawedCookieStore``.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - text: What is wrong with the store, as a predicate: `sends Secure cookies over http`.
  ///   - clauses: The ids of the clauses that must catch it.
  ///   - timeLimit: How long a clause may take; a clause that takes longer has caught the saboteur.
  ///   - sourceLocation: The source location of the declaration.
  ///   - change: Changes the correct behaviour.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., timeLimit: Duration = .seconds(10),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: @Sendable (inout CookieStoreFlaw) -> Void
  ) -> Saboteur {
    var flaw = CookieStoreFlaw()
    change(&flaw)
    return Saboteur(
      id, text, caughtBy: clauses, timeLimit: timeLimit, sourceLocation: sourceLocation
    ) { [flaw] scope in
      try await CookieStoreFixture(in: scope) { try FlawedCookieStore($0, flaw) }
    }
  }

  /// Mistakes that no mutant makes, because they are a missing feature, the wrong rules or a file
  /// that is used without care.
  @SaboteurBuilder<CookieStoreFixture>
  static var cookies: [Saboteur] {
    rules
    storage
  }

  @SaboteurBuilder<CookieStoreFixture>
  private static var rules: [Saboteur] {
    flawed(
      "ignores-path", "sends each cookie to every path", caughtBy: "default-path", "path-itself",
      "path-slash", "path-match", "path-case", "path-percent"
    ) { $0.line = { $0 + "; Path=/" } }
    flawed(
      "ignores-secure", "treats http as https", caughtBy: "secure-get", "secure-set", "overlay"
    ) { $0.request = { $0.isSecure = true } }
    flawed(
      "ignores-http-only", "treats scripts as requests", caughtBy: "http-only-get", "http-only-set",
      "http-only-overwrite"
    ) { $0.request = { $0.access = .http } }
    flawed(
      "ignores-same-site", "treats every request as one of the same site", caughtBy: "strict",
      "lax", "cross-site-set"
    ) { $0.request = { $0.isSameSite = true } }
    flawed(
      "no-suffixes", "knows no public suffixes", caughtBy: "public-suffix", "public-suffix-list",
      "later-suffix"
    ) { $0.policy = { $0.publicSuffixes = .noSuffixes } }
    flawed(
      "unlimited", "evicts no cookies", caughtBy: "domain-limit", "total-limit", "no-room",
      "eviction-order", "least-recently-used"
    ) { $0.policy = { $0.limits = .init(perDomain: .max, total: .max) } }
    flawed(
      "old-rules", "applies RFC 6265", caughtBy: "secure-prefix", "host-prefix", "longest-life",
      "pair-size"
    ) { $0.policy = { $0.profile = .rfc6265 } }
    flawed(
      "new-rules", "applies RFC 6265bis although the policy is RFC 6265",
      caughtBy: "nameless-rfc6265", "pair-size-rfc6265", "longest-life-rfc6265", "prefix-rfc6265",
      "secure-set-rfc6265", "same-site-rfc6265", "empty-domain-rfc6265", "host-only-twin-rfc6265"
    ) { $0.policy = { $0.profile = .rfc6265bis } }
    flawed(
      "system-clock", "reads the system's clock", caughtBy: "expiry-instant", "max-age-exactly",
      "creation-time"
    ) { $0.now = { _ in Date() } }
    flawed("splits-at-commas", "ends a cookie at a comma", caughtBy: "comma") {
      $0.line = { String($0.prefix { $0 != "," }) }
    }
    flawed("decodes-percent", "decodes %41", caughtBy: "percent-forms") {
      $0.line = { $0.replacing("%41", with: "A") }
    }
    flawed(
      "sends-by-name", "sends cookies in the order of their names", caughtBy: "longest-path-first",
      "earlier-first"
    ) { $0.sent = { $0.sort { $0.name < $1.name } } }
    flawed(
      "tells-nothing", "reports no changes", caughtBy: "changes", "changes-restored",
      "changes-evicted", timeLimit: .seconds(30)
    ) { $0.told = { _ in nil } }
  }

  @SaboteurBuilder<CookieStoreFixture>
  private static var storage: [Saboteur] {
    flawed(
      "keeps-nothing", "keeps cookies in memory only", caughtBy: "survives-reopen",
      "reopened-session", "reopened-order", "crash-survival", "flush-last-access",
      "several-handles", "no-lost-writes"
    ) { $0.storage = .memory }
    flawed(
      "saves-when-flushed", "writes the file only when it is flushed", caughtBy: "crash-survival",
      "several-handles", "no-lost-writes", "several-last-accesses"
    ) { $0.storage = .flushedFile }
    flawed(
      "unlocked", "reads and writes the file without a lock", caughtBy: "at-once", "no-lost-writes"
    ) { $0.storage = .unlockedFile }
    flawed("readable-file", "makes the file readable by everyone", caughtBy: "private-files") {
      $0.storage = .file
      $0.fileMode = 0o644
    }
    flawed(
      "modest", "declares no capabilities although it has all of them",
      caughtBy:
        "lacks-controllable-clock", "lacks-configurable-policy", "lacks-persistence",
      "lacks-several-handles", "lacks-crash-survival"
    ) { $0.storage = .file }
  }
}
