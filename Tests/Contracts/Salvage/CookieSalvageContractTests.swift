import ContractTesting
import Testing

@Suite struct CookieSalvageContractTests {
  @Test(
    arguments: Contract.cookieSalvage.cases(for: .sqlite) + Contract.cookieSalvage.saboteurCases)
  func holds(_ contractCase: ContractCase<CookieSalvageFixture>) async throws {
    try await contractCase.verify()
  }

  @Test(
    arguments: Contract.cookieHandles.cases(for: .sqlite) + Contract.cookieHandles.saboteurCases)
  func holdsForHandles(_ contractCase: ContractCase<CookieSalvageFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<CookieSalvageFixture> {
  static let sqlite = live("sqlite") { scope in
    try CookieSalvageFixture(in: scope)
  }
}
