import ContractExploration
import ContractTesting
import CookieContract
import Testing

@Suite struct CookieExplorationTests {
  @Test(arguments: [Implementation<CookieStoreFixture>.inMemory, .sqlite])
  func lockStep(_ implementation: Implementation<CookieStoreFixture>) async throws {
    try await explore(.cookies, on: implementation)
  }

  @Test(arguments: [Implementation<CookieStoreFixture>.inMemory, .sqlite])
  func linearizable(_ implementation: Implementation<CookieStoreFixture>) async throws {
    try await exploreConcurrently(.cookiesAtOnce, on: implementation)
  }
}
