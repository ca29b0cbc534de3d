import CookiePort
import Testing

@Suite("StaticPublicSuffixList")
struct StaticPublicSuffixListTests {
  private let list = StaticPublicSuffixList(rules: [
    "// a comment", "", "com", " CO.UK  // up to the first space", ".github.io", "*.ck", "!www.ck",
    "*.kobe.jp",
  ])

  @Test(
    "rules, wildcards and exceptions decide which domains are suffixes",
    arguments: [
      ("com", true), ("example.com", false), ("uk", true), ("co.uk", true),
      ("example.co.uk", false),
      ("github.io", true), ("me.github.io", false), ("io", true), ("ck", true), ("any.ck", true),
      ("www.ck", false), ("a.any.ck", false), ("a.www.ck", false), ("unlisted", true),
      ("a.b", false),
      ("kobe.jp", true), ("a.kobe.jp", true), ("a.b.kobe.jp", false), ("", false), ("//", true),
    ])
  func rules(_ domain: String, _ isSuffix: Bool) {
    #expect(list.isPublicSuffix(domain) == isSuffix)
  }

  @Test("rules in U-labels count as A-labels; labels that no host can have match nothing")
  func uLabels() {
    let list = StaticPublicSuffixList(rules: ["РФ", "*.公司.cn", "!ü.公司.cn", "a\u{2FF0}b.cn"])
    for domain in ["xn--p1ai", "a.xn--55qx5d.cn"] {
      #expect(list.isPublicSuffix(domain), "\(domain)")
    }
    for domain in ["a.xn--p1ai", "xn--tda.xn--55qx5d.cn", "b.cn"] {
      #expect(!list.isPublicSuffix(domain), "\(domain)")
    }
  }

  @Test("the list of top-level domains contains nothing below them")
  func topLevel() {
    let list: any PublicSuffixList = .topLevelDomains
    #expect(list.isPublicSuffix("com") && !list.isPublicSuffix("co.uk"))
  }

  @Test("the empty list contains no suffix")
  func none() {
    let list: any PublicSuffixList = .noSuffixes
    #expect(!list.isPublicSuffix("com"))
  }
}
