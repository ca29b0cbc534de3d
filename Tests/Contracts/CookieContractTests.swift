import ContractTesting
import CookieContract
import Testing

@Suite struct CookieContractTests {
  @Test(
    arguments: Contract.cookies.cases(for: .inMemory, .sqlite, .foundation, .foundationOnDisk))
  func holds(_ clause: ContractCase<CookieStoreFixture>) async throws { try await clause.verify() }

  @Test(arguments: Contract.cookies.saboteurs)
  func catches(_ saboteur: SaboteurCase<CookieStoreFixture>) async throws {
    try await saboteur.verify()
  }
}
