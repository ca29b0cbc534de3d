import CSQLite
import CookiePort
import CookieSQLiteAdapter
import CookieTestSupport
import Foundation
import Testing

extension CookieRequest {
  /// Creates a secure same-site request.
  static func to(_ host: String = "example.com", path: String = "/") throws -> CookieRequest {
    try CookieRequest(isSecure: true, host: host, path: path)
  }
}

extension TemporaryDirectory {
  /// Creates a closed store in the directory; a third of its cookies are `Secure`.
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

  /// Changes the file by SQL, as another program could.
  func execute(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try #require(sqlite3_open(file(), &database) == SQLITE_OK)
    try #require(
      sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK,
      "\(String(cString: sqlite3_errmsg(database)))")
  }
}

/// Returns the kind of storage failure that a closure throws, or `nil` if it doesn't throw.
func failureKind(_ body: () throws -> Void) -> CookieStorageFailure.Kind? {
  do {
    try body()
    return nil
  } catch CookieStoreError.storage(let failure) {
    return failure.kind
  } catch {
    Issue.record("expected a storage failure, got \(error)")
    return nil
  }
}
