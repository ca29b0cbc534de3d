import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests files that can't be stores: they are refused with the reason, and unchanged.
@Suite struct UnfitFileTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func expectCorrupt(_ what: String) throws {
    try directory.expectFailure(.corrupt, of: what) { _ = try directory.open() }
  }

  @Test func `a file that is no database is refused`() throws {
    for length in [1, 50, 99, 100, 5000] {
      try Data(repeating: 0x78, count: length).write(to: URL(filePath: directory.file()))
      try directory.expectRefusal(.notACookieStore, of: "\(length) bytes of text")
    }
    try directory.makeStore(of: 4)
    try DatabaseBytes(directory).overwriting(0, with: Array(repeating: 0x20, count: 16))
      .write(directory)
    try directory.expectRefusal(.notACookieStore, of: "a store with a damaged header")
  }

  @Test func `a store with a damaged page is refused until it is salvaged`() throws {
    try directory.makeStore(of: 40, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    for page in bytes.pages {
      try bytes.overwriting(bytes.start(of: page)).write(directory)
      try expectCorrupt("a store with page \(page) damaged")
    }
    for length in [bytes.pageSize - 1, 2 * bytes.pageSize, 5 * bytes.pageSize + 1] {
      try bytes.prefix(length).write(directory)
      try expectCorrupt("a store cut after \(length) bytes")
    }
  }

  @Test func `a store of a newer version is refused`() throws {
    try directory.makeStore(of: 20, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    try directory.execute("PRAGMA user_version = 2")
    try directory.expectRefusal(.newerVersion, of: "a store of version 2")
    try DatabaseBytes(directory).overwriting(bytes.start(of: 2)).write(directory)
    try directory.expectRefusal(.newerVersion, of: "a damaged store of version 2")
    for version in [0, -1] {
      try bytes.write(directory)
      try directory.execute("PRAGMA user_version = \(version)")
      try expectCorrupt("a store of version \(version)")
    }
  }

  @Test(arguments: [
    "CREATE TABLE note (text)", "PRAGMA user_version = 1", "PRAGMA application_id = 7",
    "PRAGMA journal_mode = WAL; CREATE TABLE cookie (name)",
  ])
  func `a database of another program is refused`(sql: String) throws {
    try directory.execute(sql)
    #expect(chmod(directory.file(), 0o644) == 0)
    try directory.expectRefusal(.notACookieStore, of: "a database")
    #expect(directory.mode() == 0o644)
  }

  // Most programs leave both numbers as they are.
  @Test(arguments: [
    "PRAGMA application_id = 7", "PRAGMA application_id = 0; PRAGMA user_version = 0",
  ])
  func `a damaged database of another program is not salvaged`(sql: String) throws {
    try directory.makeStore(of: 2)
    try directory.execute(sql)
    let bytes = try DatabaseBytes(directory)
    for page in [1, 2] {
      try bytes.overwriting(bytes.start(of: page)).write(directory)
      try directory.expectFailure(.notACookieStore, of: "page \(page)") {
        _ = try SQLiteCookieStore.salvage(path: directory.file())
      }
    }
  }

  @Test(arguments: [
    ("-wal", "PRAGMA journal_mode = WAL; CREATE TABLE note (text)"),
    (
      "-journal",
      """
      CREATE TABLE note (text);
      INSERT INTO note WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 99)
        SELECT hex(randomblob(500)) FROM n;
      PRAGMA cache_size = 1; BEGIN; UPDATE note SET text = 'x' || text
      """
    ),
  ])
  func `the log or journal of another program's database is left as it is`(
    log: String, sql: String
  ) throws {
    // What a crash leaves: the files while another program has them open.
    let files = try directory.execute(sql) { _ in try directory.contents() }
    try directory.removeFiles()
    for (name, data) in files { try data.write(to: URL(filePath: directory.file(name))) }
    #expect(try directory.contents()["cookies.db" + log]?.isEmpty == false)
    try directory.expectFailure(.notACookieStore) { _ = try directory.open() }
  }

  @Test func `a journal that no crash left is ignored`() throws {
    // <https://www.sqlite.org/fileformat2.html>, section 3.
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let pages: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0]
    for (what, bytes) in [
      ("of no bytes", []), ("cut in its header", magic + pages + [0, 0, 1]),
      ("with a cleared header", Array(repeating: 0, count: 28)),
      ("of no pages", magic + [0, 0, 0, 1, 9, 9, 9, 9] + Array(repeating: 0, count: 12)),
      ("of another form", [0xd8] + magic.dropFirst() + pages + Array(repeating: 1, count: 12)),
    ] as [(String, [UInt8])] {
      let cookies = try directory.makeStore(of: 4)
      try Data(bytes).write(to: URL(filePath: directory.file("cookies.db-journal")))
      #expect(try directory.cookies() == cookies, "a journal \(what)")
    }
    let many = magic + pages + [1, 0, 0, 0] + Array(repeating: 0, count: 8)
    try Data(many).write(to: URL(filePath: directory.file("cookies.db-journal")))
    try directory.expectRefusal(.notACookieStore, of: "a store with a journal of many pages")
  }

  @Test(arguments: [
    "CREATE TABLE note (text)", "CREATE VIEW everything AS SELECT * FROM cookie",
    "CREATE TRIGGER greedy AFTER INSERT ON cookie BEGIN DELETE FROM cookie; END",
    "CREATE INDEX by_value ON cookie (value)", "DROP INDEX cookie_secure", "DROP TABLE tally",
    "ALTER TABLE cookie ADD COLUMN extra", "ALTER TABLE cookie RENAME COLUMN value TO price",
  ])
  func `a store with other tables is refused`(sql: String) throws {
    try directory.makeStore(of: 4)
    try directory.execute(sql)
    try expectCorrupt(sql)
  }

  @Test func `a store in UTF-16 is refused`() throws {
    try directory.makeStore(of: 4)
    let tables = try directory.execute(
      "SELECT group_concat(sql, '; ') FROM sqlite_schema WHERE sql IS NOT NULL")
    try directory.removeFiles()
    try directory.execute(
      """
      PRAGMA encoding = 'UTF-16'; \(tables[0]); INSERT INTO tally VALUES (1, 0, 0, NULL, NULL);
      PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1;
      """)
    try expectCorrupt("a store in UTF-16")
  }

  @Test func `the statistics of ANALYZE are accepted`() throws {
    let cookies = try directory.makeStore(of: 20)
    try directory.execute("ANALYZE")
    #expect(try directory.cookies() == cookies)
  }

  @Test func `a path that leads to no regular file is refused`() throws {
    let path = directory.file()
    try directory.expectFailure(.notACookieStore) {
      _ = try SQLiteCookieStore.salvage(path: path)
    }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try directory.expectRefusal(.notACookieStore, of: "a directory")
    try directory.removeFiles()
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nothing")
    try directory.expectRefusal(.notACookieStore, of: "a symbolic link to nothing")
    try directory.removeFiles()
    #expect(mkfifo(path, 0o600) == 0)
    try directory.expectRefusal(.notACookieStore, of: "a pipe")
    try directory.makeStore(of: 4)
    #expect(mkfifo(path + "-journal", 0o600) == 0)
    try directory.expectRefusal(.notACookieStore, of: "a pipe as journal")
  }

  @Test func `random damage causes an error or no failure, never a crash`() throws {
    try directory.makeStore(of: 60)
    let valid = try DatabaseBytes(directory)
    var failures = 0
    for round in 0..<300 {
      var data = valid
      for _ in 0...Int.random(in: 0..<(round % 40 + 1)) {
        let place = Int.random(in: valid.bytes.indices)
        data = data.overwriting(place, with: [UInt8.random(in: 0...255)])
      }
      try data.write(directory)
      if failureKind({ try exercise(directory.file()) }) != nil { failures += 1 }
    }
    #expect(failures > 100)
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

  @Test(arguments: [
    ("DELETE FROM tally", "the tally is invalid"),
    ("UPDATE tally SET cookies = 'many'", "the tally is invalid"),
    ("UPDATE tally SET cookies = 201", "the tally doesn't match the number of cookies"),
  ])
  func `a tally that is wrong is named`(sql: String, detail: String) throws {
    try directory.makeStore()
    try directory.execute(sql)
    #expect(storageFailure { _ = try SQLiteCookieStore(path: directory.file()) }?.detail == detail)
  }

  @Test func `a file that a newer SQLite must not write is refused`() throws {
    try directory.makeStore()
    // The write version of the header: <https://www.sqlite.org/fileformat2.html>.
    try DatabaseBytes(directory).overwriting(18, with: [3]).write(directory)
    try directory.expectFailure(.notPermitted) { _ = try directory.open() }
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
