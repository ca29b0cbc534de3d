public import ContractTesting
import CookiePort
import Testing

private let source = "publicsuffix.org, Format and Algorithm"

extension Contract<PublicSuffixListFixture> {
  /// What every public-suffix list promises.
  public static let publicSuffixes = Contract("public-suffixes", "Public-suffix list") {
    Clause("rule", "a domain that a rule names is a suffix, and none below it", from: source) {
      try $0.expect(
        rules: ["com", "co.uk", "uk", "xn--p1ai"], suffixes: ["com", "uk", "co.uk", "xn--p1ai"],
        others: ["example.com", "example.co.uk", "ac.uk", "a.b.co.uk", "xco.uk", "a.xn--p1ai"])
    }
    Clause("wildcard", "a wildcard stands for exactly one label", from: source) {
      try $0.expect(
        rules: ["com", "*.ck"], suffixes: ["foo.ck", "www.ck"],
        others: ["a.foo.ck", "b.a.foo.ck", "foo.com"])
    }
    Clause(
      "wildcard-parent", "what a wildcard stands under is a suffix itself", from: "this project"
    ) {
      try $0.expect(
        rules: ["com", "*.api.example.com"],
        suffixes: ["api.example.com", "v1.api.example.com"], others: ["example.com"])
    }
    Clause("exception", "an exception is no suffix, though a wildcard names it", from: source) {
      try $0.expect(
        rules: ["*.ck", "!www.ck"], suffixes: ["foo.ck", "ck"], others: ["www.ck", "a.www.ck"])
    }
    Clause("unlisted", "a top-level domain that no rule names is a suffix", from: source) {
      try $0.expect(
        rules: ["com"], suffixes: ["example", "localhost"], others: ["a.example", "b.a.example"])
    }
    Clause("empty", "no domain at all is no suffix", from: "this project") {
      try $0.expect(rules: ["com"], suffixes: ["com"], others: [""])
    }
    Clause("deep", "rules have as many labels as they please", from: source) {
      try $0.expect(
        rules: ["com", "a.b.c.d.example.com"], suffixes: ["a.b.c.d.example.com"],
        others: ["b.c.d.example.com", "x.b.c.d.example.com", "y.a.b.c.d.example.com"])
    }
  } saboteurs: {
    Saboteur.publicSuffixes
  }
}

/// A sound list with a flaw.
private struct FlawedSuffixList: PublicSuffixList {
  var rules: [String]
  var decides: @Sendable (_ domain: String, _ rules: [String], _ isSuffix: Bool) -> Bool

  func isPublicSuffix(_ domain: String) -> Bool {
    decides(domain, rules, StaticPublicSuffixList(rules: rules).isPublicSuffix(domain))
  }
}

extension PublicSuffixListFixture {
  fileprivate static func flawed(
    _ decides: @escaping @Sendable (String, [String], Bool) -> Bool
  ) -> PublicSuffixListFixture {
    PublicSuffixListFixture { FlawedSuffixList(rules: $0, decides: decides) }
  }
}

extension Saboteur<PublicSuffixListFixture> {
  @SaboteurBuilder<PublicSuffixListFixture>
  fileprivate static var publicSuffixes: [Saboteur] {
    Saboteur(
      "below-rule", "takes what is below a rule for a suffix too", caughtBy: "rule", "deep",
      saying: "is a public suffix"
    ) {
      .flawed { domain, rules, isSuffix in
        isSuffix || rules.contains { $0.contains(".") && domain.hasSuffix($0) }
      }
    }
    Saboteur("no-wildcards", "doesn't know wildcards", caughtBy: "wildcard", "wildcard-parent") {
      .flawed { domain, rules, isSuffix in
        StaticPublicSuffixList(rules: rules.filter { !$0.hasPrefix("*") }).isPublicSuffix(domain)
      }
    }
    Saboteur("deep-wildcards", "lets a wildcard stand for several labels", caughtBy: "wildcard") {
      .flawed { domain, rules, isSuffix in
        isSuffix
          || rules.contains { $0.hasPrefix("*") && domain.hasSuffix(String($0.dropFirst())) }
      }
    }
    Saboteur("wildcard-alone", "takes no wildcard for its parent", caughtBy: "wildcard-parent") {
      .flawed { domain, rules, isSuffix in
        isSuffix && !(domain.contains(".") && rules.contains("*.\(domain)"))
      }
    }
    Saboteur("no-exceptions", "doesn't know exceptions", caughtBy: "exception") {
      .flawed { domain, rules, isSuffix in isSuffix || rules.contains("!\(domain)") }
    }
    Saboteur("listed-only", "knows listed top-level domains alone", caughtBy: "unlisted") {
      .flawed { domain, rules, isSuffix in
        isSuffix && (domain.contains(".") || rules.contains { $0.hasSuffix(domain) })
      }
    }
    Saboteur("empty-is-suffix", "takes no domain for a suffix", caughtBy: "empty") {
      .flawed { domain, _, isSuffix in isSuffix || domain.isEmpty }
    }
    Saboteur("two-labels", "looks at two labels at most", caughtBy: "deep") {
      .flawed { domain, _, isSuffix in isSuffix && domain.split(separator: ".").count <= 2 }
    }
  }
}
