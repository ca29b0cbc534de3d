import ContractTesting
import CookieContract
import Storefront
import Testing

@Suite struct CookieContractTests {
  @Test(arguments: Contract.cookies.cases(for: .json))
  func holds(_ clause: ContractCase<CookieStoreFixture>) async throws { try await clause.verify() }
}

extension Implementation<CookieStoreFixture> {
  static let json = live("json") { scope in
    try await CookieStoreFixture(in: scope) { setup in
      try JSONCookieStore(
        setup.directory().appending(path: "cookies.json"), policy: setup.policy, now: setup.now)
    }
  }.deviating(
    from: "three-thousand", kind: .unsupported, by: .hanging(within: .seconds(5)),
    because: "it writes the whole file for every cookie, which suits some hundred of them")
}
