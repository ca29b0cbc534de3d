import ContractTesting
import CookieContract
import CookiePort
import CookieSQLiteAdapter
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Implementation<CookieStoreFixture> {
  static let inMemory: Self = fake("in-memory") { scope in
    try await CookieStoreFixture(in: scope) { setup in
      InMemoryCookieStore(policy: setup.policy, now: setup.now)
    }
  }
  .lacking(.persistence, because: "cookies are kept in memory only")

  static let sqlite: Self = live("sqlite") { scope in
    try await CookieStoreFixture(in: scope, closing: { $0.close() }) { setup in
      let file = try setup.directory().appending(path: "cookies.sqlite")
      scope.witnessDatabase(file)
      return try SQLiteCookieStore(path: file.path, policy: setup.policy, now: setup.now)
    }
  }
  .version { _ in AdaptedVersion.sqlite }
}

extension Implementation<CookieProviderFixture> {
  static let inMemory: Self = fake("in-memory") {
    let store = InMemoryCookieStore()
    return CookieProviderFixture { try StoreCookieProvider(store, for: $0) }
  }

  static let sqlite: Self = live("sqlite") { scope in
    let file = try scope.temporaryDirectory().appending(path: "cookies.sqlite")
    scope.witnessDatabase(file)
    let store = try SQLiteCookieStore(path: file.path)
    return CookieProviderFixture { try StoreCookieProvider(store, for: $0) }
  }
  .version { _ in AdaptedVersion.sqlite }
}

extension Implementation<CookieFileFixture> {
  static let netscape: Self = fake("port") { CookieFileFixture.netscape }
}

extension Implementation<PublicSuffixListFixture> {
  static let staticRules: Self = fake("static") {
    PublicSuffixListFixture { StaticPublicSuffixList(rules: $0) }
  }
}

extension FixtureScope {
  /// Samples a database of SQLite: what the program sqlite3 reads if it is installed, and the write-ahead log.
  func witnessDatabase(_ file: URL) {
    witness("the database", printedBy: ["sqlite3", "-readonly", file.path, ".dump"])
    witness(file: URL(filePath: file.path + "-wal"))
  }

  /// Samples a storage of Foundation.
  func witnessStorage(_ storage: HTTPCookieStorage) {
    witness("the storage of Foundation") {
      Set((storage.cookies ?? []).map { "\($0.properties ?? [:])" })
    }
  }
}
