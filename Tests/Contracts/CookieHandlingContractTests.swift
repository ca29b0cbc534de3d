import ContractTesting
import CookieFoundationAdapter
import CookieHandlingContract
import CookiePort
import CookieSQLiteAdapter
import CookieTransportAdapter
import Testing

@Suite struct CookieHandlingContractTests {
  @Test(
    arguments: Contract.cookieHandling.cases(for: .inMemory, .sqlite, .foundation)
      + Contract.cookieHandling.saboteurCases)
  func holds(_ contractCase: ContractCase<CookieHandlingFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<CookieHandlingFixture> {
  static let inMemory: Self = fake("in-memory") {
    CookieHandlingFixture(StoreCookieHandling(InMemoryCookieStore()))
  }

  static let sqlite: Self = live("sqlite") { scope in
    let file = try scope.temporaryDirectory().appending(path: "cookies.sqlite")
    scope.witnessDatabase(file)
    return CookieHandlingFixture(StoreCookieHandling(try SQLiteCookieStore(path: file.path)))
  }
  .version { _ in AdaptedVersion.sqlite }

  static let foundation: Self = live("foundation") { scope in
    let storage = try ephemeralCookieStorage(in: scope)
    scope.witnessStorage(storage)
    return CookieHandlingFixture(StoreCookieHandling(FoundationCookieStore(storage)))
  }
  .version { _ in AdaptedVersion.foundation }
  .deviating(
    from: "every-line", because: "a comma splits one Set-Cookie line into two cookies", on: .linux
  )
  .deviating(from: "path", because: "cookies(for:) ignores Path", on: .linux)
  .deviating(from: "secure", because: "Secure cookies are sent over http", on: .linux)
  .deviating(from: "rejected", because: "public suffixes are not checked", on: .linux)
}
