import CookiePort
import Testing

@Suite("StaticPublicSuffixList")
struct StaticPublicSuffixListTests {
  @Test("rules in U-labels count as A-labels; labels that no host can have match nothing")
  func uLabels() {
    let list = StaticPublicSuffixList(
      rules: ["公司.РФ", "*.公司.cn", "!ü.公司.cn", "a\u{2FF0}b.cn"])
    for domain in ["xn--55qx5d.xn--p1ai", "a.xn--55qx5d.cn"] {
      #expect(list.isPublicSuffix(domain), "\(domain)")
    }
    for domain in ["a.xn--p1ai", "xn--tda.xn--55qx5d.cn", "b.cn"] {
      #expect(!list.isPublicSuffix(domain), "\(domain)")
    }
  }

  @Test("a rule ends at white space; a comment, an empty line and an empty domain are none")
  func lines() {
    let list = StaticPublicSuffixList(
      rules: ["  co.uk commercial", "\tnet.uk\tx", "公司.cn 公司", ".gov.uk", "// org.uk", ""])
    for domain in ["co.uk", "net.uk", "xn--55qx5d.cn", "gov.uk", "uk"] {
      #expect(list.isPublicSuffix(domain), "\(domain)")
    }
    for domain in ["org.uk", ""] { #expect(!list.isPublicSuffix(domain), "\(domain)") }
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
