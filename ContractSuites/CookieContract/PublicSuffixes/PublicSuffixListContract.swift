public import ContractTesting
import CookiePort
import Testing

private let source = "publicsuffix.org, Format and Algorithm"

extension Contract<PublicSuffixListFixture> {
  /// The behaviour of every public-suffix list.
  public static let publicSuffixes: Self = Contract(
    "public-suffixes", "Public-suffix list", leavesOthersToMutants: true
  ) {
    Clause("rule", "a domain that a rule names is a suffix, domains below it are not", from: source)
    {
      try $0.expect(
        rules: ["com", "co.uk", "uk", "xn--p1ai"], suffixes: ["com", "uk", "co.uk", "xn--p1ai"],
        others: ["example.com", "example.co.uk", "ac.uk", "a.b.co.uk", "xco.uk", "a.xn--p1ai"])
    }
    Clause("wildcard", "a wildcard matches exactly one label", from: source) {
      try $0.expect(
        rules: ["com", "*.ck"], suffixes: ["foo.ck", "www.ck"],
        others: ["a.foo.ck", "b.a.foo.ck", "foo.com"])
    }
    Clause(
      "wildcard-parent", "the parent domain of a wildcard is a suffix too", from: "this project"
    ) {
      try $0.expect(
        rules: ["com", "*.api.example.com"],
        suffixes: ["api.example.com", "v1.api.example.com"], others: ["example.com"])
    }
    Clause("exception", "an exception is no suffix, although a wildcard matches it", from: source) {
      try $0.expect(
        rules: ["*.ck", "!www.ck"], suffixes: ["foo.ck", "ck"], others: ["www.ck", "a.www.ck"])
    }
    Clause("unlisted", "a top-level domain that no rule names is a suffix", from: source) {
      try $0.expect(
        rules: ["com"], suffixes: ["example", "localhost"], others: ["a.example", "b.a.example"])
    }
    Clause("u-labels", "rules in U-labels match domains in A-labels", from: source) {
      try $0.expect(
        rules: ["com", "рф", "公司.cn", "*.бел", "!šibenik.бел"],
        suffixes: ["xn--p1ai", "xn--55qx5d.cn", "foo.xn--90ais"],
        others: [
          "a.xn--p1ai", "a.xn--55qx5d.cn", "xn--ibenik-9jb.xn--90ais", "b.a.xn--90ais",
        ])
    }
    Clause("lines", "a rule ends at white space, and a comment is no rule", from: source) {
      try $0.expect(
        rules: [
          "com", "  example.com rest", "co.uk // of uk", "// example.org", "", "//a.example",
        ],
        suffixes: ["com", "example.com", "co.uk"],
        others: ["example.org", "a.example", "rest.com", "a.example.com"])
    }
    Clause("empty", "the empty domain is no suffix", from: "this project") {
      try $0.expect(rules: ["com"], suffixes: ["com"], others: [""])
    }
    Clause("deep", "a rule may have any number of labels", from: source) {
      try $0.expect(
        rules: ["com", "a.b.c.d.example.com"], suffixes: ["a.b.c.d.example.com"],
        others: ["b.c.d.example.com", "x.b.c.d.example.com", "y.a.b.c.d.example.com"])
    }
  } saboteurs: {
    Saboteur.publicSuffixes
  }
}
