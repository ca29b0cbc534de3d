import CSQLite
import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests what a connection refuses, how long it waits and what its errors say.
@Suite struct ConnectionTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(waiting time: Duration = .seconds(5)) throws -> Connection {
    try Connection(path: directory.file(), busyTimeout: time)
  }

  // MARK: Files of somebody else

  @Test func `a trigger in the file doesn't run`() throws {
    try directory.execute(
      """
      CREATE TABLE a(x); CREATE TABLE log(x);
      CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO log VALUES (new.x); END
      """)
    let connection = try open()
    try connection.execute("INSERT INTO a VALUES (1)")
    #expect(try connection.integer("SELECT count(*) FROM a") == 1)
    #expect(try connection.integer("SELECT count(*) FROM log") == 0)
  }

  @Test func `a view in the file can't be read`() throws {
    try directory.execute("CREATE VIEW v AS SELECT 1")
    let found = storageFailure { _ = try open().integer("SELECT * FROM v") }
    #expect(found?.detail.contains("access to view \"v\" prohibited") == true)
  }

  @Test func `the schema in the file calls no function that another program has defined`() throws {
    func define(in database: OpaquePointer?) {
      sqlite3_create_function(
        database, "effect", 0, SQLITE_UTF8, nil,
        { context, _, _ in sqlite3_result_int(context, 1) },
        nil, nil)
    }
    var database: OpaquePointer?
    #expect(sqlite3_open(directory.file(), &database) == SQLITE_OK)
    define(in: database)
    #expect(
      sqlite3_exec(database, "CREATE TABLE a(x DEFAULT (effect()))", nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    let connection = try open()
    define(in: connection.handle)
    #expect(try connection.integer("SELECT effect()") == 1)
    let found = storageFailure { try connection.execute("INSERT INTO a DEFAULT VALUES") }
    #expect(found?.detail.contains("unsafe use of effect()") == true, "\(found?.detail ?? "")")
  }

  @Test func `the schema can be changed only while damage is tolerated`() throws {
    try directory.execute("CREATE TABLE a(x)")
    let connection = try open()
    let change = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' '"
    let refusal = "may not be modified"
    #expect(storageFailure { try connection.execute(change) }?.detail.contains(refusal) == true)
    try connection.toleratingDamage { () throws(CookieStoreError) in
      try connection.execute(change)
      try connection.execute("UPDATE sqlite_schema SET sql = trim(sql)")
    }
    #expect(try connection.integer("PRAGMA writable_schema") == 0)
    #expect(storageFailure { try connection.execute(change) }?.detail.contains(refusal) == true)
  }

  @Test func `a database that can't have a write-ahead log is refused`() throws {
    let memory = try Connection.inMemory()
    let found = storageFailure { try Schema.current.prepare(memory) }
    #expect(found?.kind == .other)
    #expect(found?.detail == "the file system doesn't support a write-ahead log")
  }

  // MARK: Waiting

  @Test(
    arguments: [
      (.milliseconds(-5), 0), (.seconds(-1 << 40), 0), (.zero, 0), (.milliseconds(1500), 1500),
      (.seconds(1 << 40), Int64(Int32.max)),
    ] as [(Duration, Int64)])
  func `a connection waits as long as it was told`(time: Duration, milliseconds: Int64) throws {
    try directory.execute("CREATE TABLE a(x)")
    let connection = try open(waiting: time)
    #expect(try connection.integer("PRAGMA busy_timeout") == milliseconds)
    let inside = try connection.withoutWaiting { () throws(CookieStoreError) in
      try connection.integer("PRAGMA busy_timeout")
    }
    #expect(inside == 0)
    #expect(try connection.integer("PRAGMA busy_timeout") == milliseconds)
  }

  @Test func `attempts are repeated for the time that is left, and only if another handle is busy`()
    throws
  {
    try directory.execute("CREATE TABLE a(x)")
    let connection = try open(waiting: .milliseconds(500))
    var rest: [Int64] = []
    let start = ContinuousClock.now
    let busy = storageFailure {
      try connection.retryingWhileBusy { () throws(CookieStoreError) in
        rest.append(try connection.integer("PRAGMA busy_timeout"))
        throw connection.failure(SQLITE_BUSY)
      }
    }
    #expect(busy?.kind == .busy)
    #expect(ContinuousClock.now - start >= .milliseconds(500))
    #expect(rest.first == 500 && rest.count > 1 && rest.dropFirst().allSatisfy { $0 < 500 })
    #expect(try connection.integer("PRAGMA busy_timeout") == 500)

    var attempts = 0
    let full = storageFailure {
      try connection.retryingWhileBusy { () throws(CookieStoreError) in
        attempts += 1
        throw connection.failure(SQLITE_FULL)
      }
    }
    #expect(full?.kind == .full)
    #expect(attempts == 1)
  }

  // MARK: Statements

  @Test func `a statement that is used once doesn't stay`() throws {
    try directory.execute("CREATE TABLE a(x)")
    let connection = try open()
    func statements() -> Int {
      sequence(first: sqlite3_next_stmt(connection.handle, nil)) {
        $0.map { sqlite3_next_stmt(connection.handle, $0) }
      }.prefix { $0 != nil }.count
    }
    let before = statements()
    #expect(before > 0)
    _ = try connection.rows("SELECT 1") { $0.integer(0) }
    _ = try connection.integer("SELECT 1")
    #expect(statements() == before)
  }

  // MARK: Errors

  @Test func `an error has SQLite's message, its code and that of the system`() throws {
    let path = directory.file("none.db")
    let missing = storageFailure { _ = try Connection(path: path, busyTimeout: .zero) }
    #expect(missing?.kind == .notPermitted)
    #expect(missing?.subject == path)
    #expect(
      missing?.detail
        == "unable to open database file (SQLite result code 14, No such file or directory)")

    let syntax = storageFailure { try Connection.inMemory().execute("SELECT a") }
    #expect(syntax?.kind == .other)
    #expect(syntax?.detail == "no such column: a (SQLite result code 1)")
  }

  @Test func `a code that the last call didn't return has its own message`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("SELECT 1")
    #expect(
      storageFailure { throw connection.failure(SQLITE_FULL) }?.detail
        == "database or disk is full (SQLite result code 13)")
  }

  @Test func `a code of several words keeps the most precise`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE a(x UNIQUE); INSERT INTO a VALUES (1)")
    let found = storageFailure { try connection.execute("INSERT INTO a VALUES (1)") }
    #expect(found?.detail == "UNIQUE constraint failed: a.x (SQLite result code 2067)")
  }

  @Test func `a failed commit has the system's error, which SQLite forgets`() throws {
    let connection = try Connection.inMemory()
    let full = storageFailure {
      errno = ENOSPC
      throw connection.failure(SQLITE_IOERR)
    }
    #expect(full?.kind == .full)
    #expect(full?.detail.hasSuffix("(SQLite result code 10, No space left on device)") == true)
    // The system's error belongs to input and output only.
    for (code, detail) in [
      (SQLITE_NOMEM, "out of memory (SQLite result code 7)"),
      (SQLITE_CORRUPT, "database disk image is malformed (SQLite result code 11)"),
    ] {
      let other = storageFailure {
        errno = ENOSPC
        throw connection.failure(code)
      }
      #expect(other?.detail == detail)
    }
  }

  @Test(
    arguments: [
      (SQLITE_IOERR, ENOSPC, .full), (SQLITE_IOERR, EDQUOT, .full), (SQLITE_IOERR, EFBIG, .full),
      (SQLITE_IOERR, EACCES, .notPermitted), (SQLITE_IOERR, EROFS, .notPermitted),
      (SQLITE_IOERR, EIO, .other), (SQLITE_IOERR, 0, .other), (csqlite_short_read, 0, .corrupt),
      (SQLITE_CANTOPEN, ENOSPC, .full), (SQLITE_CANTOPEN, EISDIR, .notACookieStore),
      (SQLITE_CANTOPEN, EMFILE, .notPermitted), (SQLITE_PROTOCOL, 0, .busy),
      (SQLITE_LOCKED, 0, .busy), (SQLITE_AUTH, 0, .notPermitted), (SQLITE_FORMAT, 0, .corrupt),
    ] as [(Int32, Int32, CookieStorageFailure.Kind)])
  func `the kind of a failure follows SQLite's code and the system's`(
    code: Int32, systemError: Int32, kind: CookieStorageFailure.Kind
  ) {
    let found = CookieStorageFailure(
      code: code, message: "m", systemError: systemError, path: "/p")
    #expect(found.kind == kind)
    let reason = systemError == 0 ? "" : ", \(String(cString: strerror(systemError)))"
    #expect(found.detail == "m (SQLite result code \(code)\(reason))")
  }
}
