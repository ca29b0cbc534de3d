import ContractTesting
import CookieContract
import CookiePort
import CookiePublicSuffixAdapter
import Foundation
import Testing

@Suite struct PublicSuffixListContractTests {
  @Test(
    arguments: Contract.publicSuffixes.cases(for: .staticRules, .libpsl)
      + Contract.publicSuffixes.saboteurCases)
  func holds(_ contractCase: ContractCase<PublicSuffixListFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<PublicSuffixListFixture> {
  static let libpsl: Self = live("libpsl") { scope in
    let file = try scope.temporaryDirectory().appending(path: "rules.dat")
    return PublicSuffixListFixture { rules in
      let lines = ["// ===BEGIN ICANN DOMAINS==="] + rules + ["// ===END ICANN DOMAINS===", ""]
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      return try LibPSLPublicSuffixList.file(at: file.path)
    }
  }
  .version { _ in AdaptedVersion.libpsl }
}
