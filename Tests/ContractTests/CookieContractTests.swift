import ContractTesting
import CookieContract
import CookiePort
import Testing

@Suite struct CookieContractTests {
  @Test(arguments: Contract.cookies.cases(for: .inMemory))
  func holds(_ clause: ContractCase<CookieStoreFixture>) async throws { try await clause.verify() }
}
extension Implementation<CookieStoreFixture> {
  static let inMemory = fake("in-memory") { scope in
    try await CookieStoreFixture(in: scope) {
      InMemoryCookieStore(policy: $0.policy, now: $0.now)
    }
  }
  .lacking(.persistence, because: "it lives in memory")
}
