import ContractTesting
import CookiePort
import Testing

extension Saboteur<PublicSuffixListFixture> {
  @SaboteurBuilder<PublicSuffixListFixture>
  static var publicSuffixes: [Saboteur] {
    Saboteur("a-labels-only", "ignores rules in U-labels", caughtBy: "u-labels") {
      PublicSuffixListFixture { rules in
        StaticPublicSuffixList(rules: rules.filter { $0.utf8.allSatisfy { $0 < 0x80 } })
      }
    }
  }
}
