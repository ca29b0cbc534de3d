import ContractTesting
import CookiePort
import Foundation
import Testing

extension Saboteur<CookieProviderFixture> {
  @SaboteurBuilder<CookieProviderFixture>
  static var provider: [Saboteur] {
    Saboteur(
      "one-url", "returns the same cookies for every URL", caughtBy: "own-host", "path", "secure",
      "longest-path"
    ) {
      let store = InMemoryCookieStore()
      let url = try #require(URL(string: CookieProviderFixture.api))
      return CookieProviderFixture { _ in try StoreCookieProvider(store, for: url) }
    }
  }
}
