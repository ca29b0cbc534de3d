import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests files that can't be stores: each fails with its kind and is unchanged.
@Suite struct UnfitFileTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Opens the file and expects a kind of failure and no change to the directory.
  private func expectFailure(
    _ kind: CookieStorageFailure.Kind, saying message: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try directory.contents()
    let error = #expect(throws: CookieStoreError.self, sourceLocation: sourceLocation) {
      _ = try SQLiteCookieStore(path: directory.file())
    }
    guard case .storage(let failure) = error else { return }
    #expect(failure.kind == kind, "\(failure)", sourceLocation: sourceLocation)
    #expect(failure.subject == directory.file(), sourceLocation: sourceLocation)
    #expect(
      !failure.detail.isEmpty && (message.isEmpty || failure.detail.contains(message)),
      "\(failure)",
      sourceLocation: sourceLocation)
    #expect(try directory.contents() == before, sourceLocation: sourceLocation)
  }

  private func write(_ data: Data) throws { try data.write(to: URL(filePath: directory.file())) }

  private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: directory.file())) }

  @Test(arguments: [1, 50, 99, 100, 4096, 10_000])
  func `a file that is no database is no cookie store`(length: Int) throws {
    try write(Data(repeating: UInt8(ascii: "x"), count: length))
    try expectFailure(.notACookieStore, saying: "file is not a database")
  }

  @Test func `a store with a damaged header is no cookie store`() throws {
    try directory.makeStore()
    var data = try bytes()
    data.replaceSubrange(0..<16, with: Data(repeating: 0x20, count: 16))
    try write(data)
    try expectFailure(.notACookieStore, saying: "file is not a database")
  }

  @Test func `damage of any page is found on opening`() throws {
    try directory.makeStore()
    let valid = try bytes()
    #expect(valid.count / 4096 > 5)
    for page in 0..<valid.count / 4096 {
      var data = valid
      let start = page * 4096 + (page == 0 ? 100 : 0)
      data.replaceSubrange(start..<start + 64, with: Data(repeating: 0xff, count: 64))
      try write(data)
      try expectFailure(.corrupt, saying: "")
    }
  }

  @Test(arguments: [4095, 4096, 4097, 8192, 12_288, 20_000])
  func `a truncated store is corrupt`(length: Int) throws {
    try directory.makeStore()
    try write(try bytes().prefix(length))
    try expectFailure(.corrupt)
  }

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

  @Test func `a store of a newer version is reported as such`() throws {
    try directory.makeStore()
    try directory.execute("PRAGMA user_version = 2")
    try expectFailure(.newerVersion, saying: "its version is 2, this package supports 1")
  }

  @Test(arguments: [0, -1])
  func `a store without a valid version is corrupt`(version: Int) throws {
    try directory.makeStore()
    try directory.execute("PRAGMA user_version = \(version)")
    try expectFailure(.corrupt, saying: "its version is \(version)")
  }

  @Test(arguments: [
    "CREATE TABLE note (text)", "PRAGMA user_version = 1", "PRAGMA application_id = 7",
    "PRAGMA journal_mode = WAL; CREATE TABLE cookie (name)",
  ])
  func `the database of another program is no cookie store`(sql: String) throws {
    try directory.execute(sql)
    try expectFailure(.notACookieStore, saying: "another program")
  }

  @Test func `the log of another program's database is unchanged`() throws {
    let other = try Connection(path: makeEmptyFile(), busyTimeout: .zero)
    try other.execute("PRAGMA journal_mode = WAL; CREATE TABLE note (text)")
    let directory = try TemporaryDirectory()
    for (name, data) in try self.directory.contents() {
      try data.write(to: URL(filePath: directory.file(name)))
    }
    let before = try directory.contents()
    #expect(before["cookies.db-wal"]?.isEmpty == false)
    #expect(
      failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .notACookieStore)
    #expect(try directory.contents() == before)
  }

  @Test func `another program's unfinished transaction isn't rolled back`() throws {
    let other = try Connection(path: makeEmptyFile(), busyTimeout: .zero)
    try other.execute(
      """
      CREATE TABLE note (text);
      INSERT INTO note WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 999)
        SELECT hex(randomblob(500)) FROM n;
      PRAGMA cache_size = 1; BEGIN; UPDATE note SET text = 'x' || text;
      """)
    let directory = try TemporaryDirectory()
    for (name, data) in try self.directory.contents() {
      try data.write(to: URL(filePath: directory.file(name)))
    }
    let before = try directory.contents()
    #expect(before["cookies.db-journal"]?.isEmpty == false)
    #expect(
      failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .notACookieStore)
    #expect(try directory.contents() == before)
  }

  private func makeEmptyFile() throws -> String {
    try Data().write(to: URL(filePath: directory.file()))
    return directory.file()
  }

  @Test(arguments: [
    "CREATE TABLE note (text)", "CREATE VIEW everything AS SELECT * FROM cookie",
    "CREATE TRIGGER greedy AFTER INSERT ON cookie BEGIN DELETE FROM cookie; END",
    "CREATE INDEX by_value ON cookie (value)", "DROP INDEX cookie_secure", "DROP TABLE tally",
    "ALTER TABLE cookie ADD COLUMN extra", "ALTER TABLE cookie RENAME COLUMN value TO price",
  ])
  func `a store with other tables is corrupt`(sql: String) throws {
    try directory.makeStore()
    try directory.execute(sql)
    try expectFailure(.corrupt, saying: "its tables are not those of version 1")
  }

  @Test func `a store in UTF-16 is corrupt`() throws {
    try directory.execute(
      "PRAGMA encoding = 'UTF-16'; " + Schema.current.migrations.joined()
        + "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1")
    try expectFailure(.corrupt, saying: "UTF-8")
  }

  @Test func `the statistics of ANALYZE don't affect a store`() throws {
    try directory.makeStore()
    try directory.execute("ANALYZE")
    #expect(failureKind { try exercise(directory.file()) } == nil)
  }

  @Test func `an empty file becomes a store with mode 0600`() throws {
    #expect(chmod(try makeEmptyFile(), 0o644) == 0)
    #expect(failureKind { try exercise(directory.file()) } == nil)
    var status = stat()
    #expect(stat(directory.file(), &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `a directory is no cookie store`() throws {
    #expect(failureKind { _ = try SQLiteCookieStore(path: directory.path) } == .notACookieStore)
  }

  @Test func `a pipe is no cookie store`() throws {
    #expect(mkfifo(directory.file(), 0o600) == 0)
    #expect(failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .notACookieStore)
  }

  @Test func `a pipe as rollback journal is no cookie store and doesn't block`() throws {
    try directory.makeStore(of: 1)
    #expect(mkfifo(directory.file() + "-journal", 0o600) == 0)
    #expect(failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .notACookieStore)
  }

  @Test(arguments: ["", "/tmp/a\0b"])
  func `an invalid path is not permitted`(path: String) throws {
    #expect(failureKind { _ = try SQLiteCookieStore(path: path) } == .notPermitted)
    #expect(!FileManager.default.fileExists(atPath: "/tmp/a"))
  }

  @Test func `a missing directory is named as such`() throws {
    try Data().write(to: URL(filePath: directory.file("a file")))
    for path in ["/nowhere/at/all/cookies.db", directory.file("a file") + "/cookies.db"] {
      let error = #expect(throws: CookieStoreError.self) { try SQLiteCookieStore(path: path) }
      #expect(failureKind { _ = try SQLiteCookieStore(path: path) } == .missingDirectory)
      #expect("\(try #require(error))".contains("directory doesn't exist: create it"))
    }
  }

  @Test func `a symbolic link to nothing is no cookie store`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.file(), withDestinationPath: "nothing")
    #expect(failureKind { _ = try SQLiteCookieStore(path: directory.file()) } == .notACookieStore)
    #expect(
      failureKind { try SQLiteCookieStore.salvage(path: directory.file("none")) }
        == .notACookieStore)
    #expect(!FileManager.default.fileExists(atPath: directory.file("none")))
  }

  @Test func `a store that others may access becomes private, its log too`() throws {
    try directory.makeStore()
    let names = ["cookies.db", "cookies.db-wal", "cookies.db-shm"]
    let other = try SQLiteCookieStore(path: directory.file())
    try other.store("a=1", from: .to())
    for name in names { #expect(chmod(directory.file(name), 0o666) == 0) }
    let store = try SQLiteCookieStore(path: directory.file())
    for name in names { #expect(mode(of: name) == 0o600, "\(name)") }
    store.close()
  }

  @Test func `another program's database keeps its mode`() throws {
    try directory.execute("CREATE TABLE note (text)")
    #expect(chmod(directory.file(), 0o644) == 0)
    try expectFailure(.notACookieStore)
    #expect(mode(of: "cookies.db") == 0o644)
  }

  private func mode(of name: String) -> mode_t? {
    var status = stat()
    return stat(directory.file(name), &status) == 0 ? status.st_mode & 0o777 : nil
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
