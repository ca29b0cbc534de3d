import ContractExploration
import ContractTesting
import CookieContract
import Foundation
import Storefront
import Testing

@Suite struct CookieContractTests {
  @Test(arguments: Contract.cookies.cases(for: .json))
  func holds(_ contractCase: ContractCase<CookieStoreFixture>) async throws {
    try await contractCase.verify()
  }

  @Test func `random commands find no difference from the model`() async throws {
    try await explore(.cookies, on: .json, settings: .init(runs: 50))
  }

  @Test func `two handles on one file behave like one`() async throws {
    let byTwoHandles = Implementation.json.map { try await $0.byTwoHandles() }
    try await explore(.cookies, on: byTwoHandles, settings: .init(runs: 50))
  }
}

extension Implementation<CookieStoreFixture> {
  static let json = live("json") { scope in
    try await CookieStoreFixture(in: scope) { setup in
      let file = try setup.directory().appending(path: "cookies.json")
      scope.witness(file: file)
      return JSONCookieStore(file, policy: setup.policy, now: setup.now)
    }
  }.deviating(
    from: "three-thousand", kind: .unsupported, by: .timingOut(after: .seconds(1)),
    because: "each operation reads and writes the whole file, which is too slow for 3,000 cookies")
}
