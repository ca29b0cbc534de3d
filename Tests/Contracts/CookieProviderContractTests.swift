import ContractTesting
import CookieContract
import CookieFoundationAdapter
import Testing

@Suite struct CookieProviderContractTests {
  @Test(
    arguments: Contract.cookieProvider.cases(for: .inMemory, .sqlite, .foundation)
      + Contract.cookieProvider.saboteurCases)
  func holds(_ contractCase: ContractCase<CookieProviderFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<CookieProviderFixture> {
  /// The provider that an extension of `HTTPCookieStorage` creates.
  static let foundation: Self = live("foundation") { scope in
    let storage = try ephemeralCookieStorage(in: scope)
    scope.witnessStorage(storage)
    return CookieProviderFixture { storage.provider(for: $0) }
  }
  .version { _ in AdaptedVersion.foundation }
  .deviating(
    from: "path", "longest-path", "delete", because: "cookies(for:) ignores Path", on: .linux
  )
  .deviating(from: "secure", because: "Secure cookies are sent over http", on: .linux)
  .deviating(
    from: "malformed", because: "HTTPCookie accepts any text, including line breaks",
    on: .linux)
}
