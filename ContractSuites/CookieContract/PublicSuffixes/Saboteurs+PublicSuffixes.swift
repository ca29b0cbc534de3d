import ContractTesting
import CookiePort
import Testing

/// A correct list, with a decision that a saboteur replaces with a wrong one.
private struct FlawedSuffixList: PublicSuffixList {
  var rules: [String]
  var decides: @Sendable (_ domain: String, _ rules: [String], _ isSuffix: Bool) -> Bool

  func isPublicSuffix(_ domain: String) -> Bool {
    decides(domain, rules, StaticPublicSuffixList(rules: rules).isPublicSuffix(domain))
  }
}

extension Saboteur<PublicSuffixListFixture> {
  /// Declares a saboteur: a list that is correct except for one decision.
  fileprivate static func flawed(
    _ id: String, _ text: String, caughtBy clauses: String..., saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ decides: @escaping @Sendable (_ domain: String, _ rules: [String], _ isSuffix: Bool) -> Bool
  ) -> Saboteur {
    Saboteur(id, text, caughtBy: clauses, saying: message, sourceLocation: sourceLocation) { _ in
      PublicSuffixListFixture { FlawedSuffixList(rules: $0, decides: decides) }
    }
  }
}

extension Saboteur<PublicSuffixListFixture> {
  @SaboteurBuilder<PublicSuffixListFixture>
  static var publicSuffixes: [Saboteur] {
    flawed(
      "below-rule", "treats domains below a rule as suffixes too", caughtBy: "rule", "deep",
      saying: "is a public suffix"
    ) { domain, rules, isSuffix in
      isSuffix || rules.contains { $0.contains(".") && domain.hasSuffix($0) }
    }
    flawed(
      "comments-count", "treats comments as rules", caughtBy: "lines",
      saying: "'example.org' is a public suffix"
    ) { domain, rules, isSuffix in isSuffix || rules.contains("// " + domain) }
    flawed("no-wildcards", "doesn't know wildcards", caughtBy: "wildcard", "wildcard-parent") {
      domain, rules, isSuffix in
      StaticPublicSuffixList(rules: rules.filter { !$0.hasPrefix("*") }).isPublicSuffix(domain)
    }
    flawed("deep-wildcards", "lets a wildcard match several labels", caughtBy: "wildcard") {
      domain, rules, isSuffix in
      isSuffix
        || rules.contains { $0.hasPrefix("*") && domain.hasSuffix(String($0.dropFirst())) }
    }
    flawed(
      "wildcard-alone", "doesn't treat a wildcard's parent as a suffix", caughtBy: "wildcard-parent"
    ) { domain, rules, isSuffix in
      isSuffix && !(domain.contains(".") && rules.contains("*.\(domain)"))
    }
    flawed("no-exceptions", "doesn't know exceptions", caughtBy: "exception") {
      domain, rules, isSuffix in isSuffix || rules.contains("!\(domain)")
    }
    flawed("listed-only", "knows only listed top-level domains", caughtBy: "unlisted") {
      domain, rules, isSuffix in
      isSuffix && (domain.contains(".") || rules.contains { $0.hasSuffix(domain) })
    }
    flawed("empty-is-suffix", "treats the empty domain as a suffix", caughtBy: "empty") {
      domain, _, isSuffix in isSuffix || domain.isEmpty
    }
    flawed(
      "a-labels-only", "ignores rules in U-labels", caughtBy: "u-labels",
      saying: "'xn--55qx5d.cn' is no public suffix"
    ) { domain, rules, _ in
      StaticPublicSuffixList(rules: rules.filter { $0.utf8.allSatisfy { $0 < 0x80 } })
        .isPublicSuffix(domain)
    }
    flawed("two-labels", "compares at most two labels", caughtBy: "deep") {
      domain, _, isSuffix in isSuffix && domain.split(separator: ".").count <= 2
    }
  }
}
