import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests files that can't be stores; the contract `cookie-salvage` has most of them.
@Suite struct UnfitFileTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: directory.file())) }

  @Test func `random damage causes an error or no failure, never a crash`() throws {
    try directory.makeStore(of: 60)
    let valid = try bytes()
    var failures = 0
    for round in 0..<300 {
      let directory = try TemporaryDirectory()
      var data = valid
      for _ in 0...Int.random(in: 0..<(round % 40 + 1)) {
        data[Int.random(in: data.indices)] = UInt8.random(in: 0...255)
      }
      try data.write(to: URL(filePath: directory.file()))
      if failureKind({ try exercise(directory.file()) }) != nil { failures += 1 }
    }
    #expect(failures > 100)
  }

  @Test func `a missing directory is named as such`() throws {
    try Data().write(to: URL(filePath: directory.file("a file")))
    for path in ["/nowhere/at/all/cookies.db", directory.file("a file") + "/cookies.db"] {
      let error = #expect(throws: CookieStoreError.self) { try SQLiteCookieStore(path: path) }
      #expect(failureKind { _ = try SQLiteCookieStore(path: path) } == .missingDirectory)
      #expect("\(try #require(error))".contains("directory doesn't exist: create it"))
    }
  }

  @Test(arguments: [
    // The index is filled under another condition, so that it misses the Secure cookies.
    "UPDATE sqlite_schema SET sql = replace(sql, 'WHERE secure', 'WHERE NOT secure')",
    // A row is inserted under another order of the key.
    "UPDATE sqlite_schema SET sql = replace(sql, 'KEY (domain,', 'KEY (domain DESC,')",
  ])
  func `what only a check of index and order notices is found on opening`(sql: String) throws {
    try directory.makeStore()
    try directory.execute(
      """
      CREATE TEMP TABLE kept AS SELECT name, sql FROM main.sqlite_schema;
      PRAGMA writable_schema = ON; \(sql); PRAGMA writable_schema = RESET;
      UPDATE cookie SET value = 'changed', host_only = 1 - host_only WHERE name = 'name33';
      INSERT INTO cookie SELECT 'a.example', path, name, host_only, value, expires, secure, http_only,
        same_site, creation, last_access, sequence + 1000 FROM cookie WHERE name = 'name30';
      UPDATE tally SET cookies = cookies + 1, last_sequence = 2000;
      PRAGMA writable_schema = ON;
      UPDATE main.sqlite_schema AS s SET sql = (SELECT k.sql FROM kept k WHERE k.name = s.name)
        WHERE name LIKE 'cookie%';
      """)
    let quick = try Connection(path: directory.file(), busyTimeout: .zero)
      .rows("PRAGMA quick_check(1)") { $0.displayText(0) }
    #expect(quick == ["ok"])
    #expect(failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .corrupt)
    #expect(try SQLiteCookieStore.salvage(path: directory.file()).kept.count == 201)
    #expect(failureKind { try exercise(directory.file()) } == nil)
  }
}

/// Opens a file, runs every operation of a store on it, and throws the first storage failure.
func exercise(_ path: String) throws {
  let store = try SQLiteCookieStore(path: path)
  var first: CookieStoreError?
  func attempt(_ operation: () throws -> Void) throws {
    do {
      try operation()
    } catch let error as CookieStoreError {
      guard case .storage = error else { return }
      first = first ?? error
    }
  }
  let request = try CookieRequest(isSecure: false, host: "host3.example.com")
  try attempt { _ = try store.cookies(for: request) }
  try attempt { _ = try store.all() }
  try attempt { try store.store("name3=again", from: request) }
  try attempt { try store.store("brand=new", from: request) }
  try attempt { try store.delete(Cookie.ID(name: "name13", domain: "host3.example.com")) }
  try attempt {
    try store.restore([Cookie(name: "r", value: "", domain: "b.org", creation: Date())])
  }
  try attempt { try store.removeExpired() }
  try attempt { try store.flush() }
  try attempt { try store.endSession() }
  try attempt { try store.clear() }
  store.close()
  if let first { throw first }
}
