import ContractTesting
import CookieContract
import CookieFoundationAdapter
import CookiePort
import CookieSQLiteAdapter
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Implementation<CookieStoreFixture> {
  static let inMemory = fake("in-memory") { scope in
    try await CookieStoreFixture(in: scope) { setup in
      InMemoryCookieStore(policy: setup.policy, now: setup.now)
    }
  }
  .lacking(.persistence, because: "its cookies live as long as it does")

  static let sqlite = live("sqlite") { scope in
    try await CookieStoreFixture(in: scope, closing: { $0.close() }) { setup in
      try SQLiteCookieStore(
        path: setup.directory().appending(path: "cookies.sqlite").path, policy: setup.policy,
        now: setup.now)
    }
  }

  static let foundation = live("foundation") { scope in
    try await CookieStoreFixture(in: scope, startingAt: Date()) { _ in
      FoundationCookieStore(URLSessionConfiguration.ephemeral.httpCookieStorage ?? .shared)
    }
  }
  .lacking(.controllableClock, because: "HTTPCookieStorage reads the system's clock")
  .lacking(.configurablePolicy, because: "HTTPCookieStorage has one set of rules")
  .lacking(.persistence, because: "only the process's shared storage is kept in a file")
}
