import ContractInterleavings
import ContractTesting
import CookieContract
import CookiePort
import Testing

@Suite struct CookieExplorationTests {
  static let implementations: [Implementation<CookieStoreFixture>] = [
    .inMemory, .sqlite, .sqliteByTwoHandles,
  ]

  @Test(arguments: implementations)
  func lockStep(_ implementation: Implementation<CookieStoreFixture>) async throws {
    try await explore(.cookies, on: implementation)
  }

  /// Small limits, so that most cookies are evicted, and the rules of RFC 6265.
  static let policies = [
    "few": CookiePolicy(limits: .init(perDomain: 3, total: 6)),
    "rfc6265": CookiePolicy(
      profile: .rfc6265, limits: .init(perDomain: 4, total: 100), trustsLocalhost: true),
  ]

  @Test(arguments: policies)
  func lockStep(_ name: String, _ policy: CookiePolicy) async throws {
    try await explore(
      CookieSpecification(policy: policy),
      on: Implementation<CookieStoreFixture>.sqlite.map(as: "sqlite-\(name)") {
        try await $0.opening(policy)
      })
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
