import CSQLite
import CookiePort
import CookieSQLiteAdapter
import Foundation
import Testing

extension CookieRequest {
  /// A secure request that no test needs to fail for.
  static func to(_ host: String = "example.com", path: String = "/") throws -> CookieRequest {
    try CookieRequest(isSecure: true, host: host, path: path)
  }
}

extension TemporaryFolder {
  /// A closed store in the folder with some cookies, some of them `Secure`.
  func makeStore(
    of count: Int = 200, now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let store = try SQLiteCookieStore(
      path: file(), policy: CookiePolicy(limits: .init(perDomain: .max)), now: now)
    for number in 0..<count {
      try store.store(
        "name\(number)=\(String(repeating: "v", count: 60)); Max-Age=1000"
          + (number.isMultiple(of: 3) ? "; Secure" : ""),
        from: .to("host\(number % 10).example.com"))
    }
    store.close()
  }

  /// Changes a file by SQL, as a program could that knows nothing of stores.
  func execute(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try #require(sqlite3_open(file(), &database) == SQLITE_OK)
    try #require(
      sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK,
      "\(String(cString: sqlite3_errmsg(database)))")
  }
}

/// The kind of failure that something ends with, or `nil` where it doesn't fail.
func failureKind(_ body: () throws -> Void) -> CookieStorageFailure.Kind? {
  do {
    try body()
    return nil
  } catch CookieStoreError.storage(let failure) {
    return failure.kind
  } catch {
    Issue.record("\(error) is no failure of the storage")
    return nil
  }
}
