import ContractTesting
import CookieContract
import Testing

@Suite struct CookieContractTests {
  @Test(
    arguments: Contract.cookies.cases(for: .inMemory, .sqlite, .foundation, .foundationOnDisk)
      + Contract.cookies.saboteurCases)
  func holds(_ contractCase: ContractCase<CookieStoreFixture>) async throws {
    try await contractCase.verify()
  }
}
