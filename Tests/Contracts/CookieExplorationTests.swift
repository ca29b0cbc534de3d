import ContractExploration
import ContractTesting
import CookieContract
import Testing

@Suite struct CookieExplorationTests {
  static let implementations: [Implementation<CookieStoreFixture>] = [
    .inMemory, .sqlite, .sqliteByTwoHandles,
  ]

  @Test(arguments: implementations)
  func lockStep(_ implementation: Implementation<CookieStoreFixture>) async throws {
    try await explore(.cookies, on: implementation)
  }

  @Test(arguments: implementations)
  func linearizable(_ implementation: Implementation<CookieStoreFixture>) async throws {
    try await exploreConcurrently(.cookiesAtOnce, on: implementation)
  }

  @Test func interleaved() async throws {
    try await exploreInterleavings(.cookiesAtOnce, on: .inMemory, commands: 3)
  }
}

extension Implementation<CookieStoreFixture> {
  /// Calls alternate between two handles to one file.
  static let sqliteByTwoHandles = sqlite.map(as: "sqlite-by-two-handles") {
    try await $0.byTwoHandles()
  }
}
