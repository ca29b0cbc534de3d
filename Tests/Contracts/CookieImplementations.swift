import ContractTesting
import CookieContract
import CookiePort
import CookieSQLiteAdapter
import Foundation
import Testing

extension Implementation<CookieStoreFixture> {
  static let inMemory = fake("in-memory") { scope in
    try await CookieStoreFixture(in: scope) { setup in
      InMemoryCookieStore(policy: setup.policy, now: setup.now)
    }
  }
  .lacking(.persistence, because: "cookies are kept in memory only")

  static let sqlite = live("sqlite") { scope in
    try await CookieStoreFixture(in: scope, closing: { $0.close() }) { setup in
      try SQLiteCookieStore(
        path: setup.directory().appending(path: "cookies.sqlite").path, policy: setup.policy,
        now: setup.now)
    }
  }
}
