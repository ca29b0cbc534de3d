import CookiePort
import Testing

@Suite("StaticPublicSuffixList")
struct StaticPublicSuffixListTests {
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
