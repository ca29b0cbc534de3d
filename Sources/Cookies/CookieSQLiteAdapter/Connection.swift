import CSQLite
import CookiePort
import Foundation

/// A connection to a database file, with statements, transactions and typed errors.
///
/// Neither this type nor SQLite (`SQLITE_OPEN_NOMUTEX`) is thread-safe: every call must be made
/// under the store's lock.
final class Connection {
  let path: String
  let handle: OpaquePointer
  private let busyTimeout: Int32
  private let begin: Statement
  private let beginImmediate: Statement
  private let commit: Statement

  /// When to check next whether the file is still at its path.
  private var nextPathCheck = ContinuousClock.now
  /// The check is a system call; before every write it would lower the write rate by a twelfth.
  // not mutated (number): a test that measures a millisecond would fail by chance.
  private static let pathCheckInterval = Duration.milliseconds(100)

  /// Creates a database in memory.
  static func inMemory() throws(CookieStoreError) -> Connection {
    try Connection(path: ":memory:", busyTimeout: .zero)
  }

  /// Opens an existing file.
  ///
  /// - Parameters:
  ///   - path: An absolute path.
  ///   - busyTimeout: How long to wait for other handles' locks; at most 2³¹ − 1 ms.
  init(path: String, busyTimeout: Duration) throws(CookieStoreError) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened, code == SQLITE_OK else {
      defer { sqlite3_close(opened) }
      throw Self.failure(code, handle: opened, path: path)
    }
    self.path = path
    handle = opened
    self.busyTimeout = Self.milliseconds(busyTimeout)
    sqlite3_busy_timeout(opened, self.busyTimeout)
    // A malicious file must not execute code through its schema, triggers or views.
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
      _ = csqlite_set_option(opened, option, value)
    }
    do throws(CookieStoreError) {
      begin = try Self.prepare("BEGIN", on: opened, path: path)
      beginImmediate = try Self.prepare("BEGIN IMMEDIATE", on: opened, path: path)
      commit = try Self.prepare("COMMIT", on: opened, path: path)
    } catch {
      sqlite3_close(opened)
      throw error
    }
  }

  deinit {
    while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
    let code = sqlite3_close(handle)
    // Otherwise SQLite keeps the connection open, with its locks.
    assert(code == SQLITE_OK, "a backup of \(path) is not finished")
  }

  /// Whether the file or its file system is read-only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Sets whether closing the last connection moves the write-ahead log into the file.
  func setCheckpointsOnClose(_ value: Bool) {
    _ = csqlite_set_option(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !value)
  }

  /// Runs a closure with a busy timeout of 0: another handle's lock fails it immediately.
  func withoutWaiting<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    sqlite3_busy_handler(handle, nil, nil)
    defer { sqlite3_busy_timeout(handle, busyTimeout) }
    return try body()
  }

  /// Retries a closure every 1 ms until the busy timeout while it fails because of another handle.
  ///
  /// For operations with a lock for which SQLite doesn't wait. Where it does wait, each attempt has
  /// the rest of the timeout.
  func retryingWhileBusy(_ body: () throws(CookieStoreError) -> Void) throws(CookieStoreError) {
    let end = ContinuousClock.now + .milliseconds(busyTimeout)
    defer { sqlite3_busy_timeout(handle, busyTimeout) }
    while true {
      do throws(CookieStoreError) {
        return try body()
      } catch {
        guard case .storage(let failure) = error, failure.kind == .busy,
          ContinuousClock.now < end
        else { throw error }
        // not mutated (number): a test that measures a microsecond would fail by chance.
        usleep(1000)
        sqlite3_busy_timeout(handle, Self.milliseconds(end - .now))
      }
    }
  }

  /// Moves the whole write-ahead log into the file and synchronizes both.
  func checkpoint() throws(CookieStoreError) {
    try checkPath()
    // SQLite doesn't call the busy handler while another connection checkpoints
    // (<https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>).
    try retryingWhileBusy { () throws(CookieStoreError) in
      try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL, nil, nil))
    }
  }

  /// Runs statements that return no rows.
  func execute(_ sql: String) throws(CookieStoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Prepares a statement for repeated use.
  func prepare(_ sql: String) throws(CookieStoreError) -> Statement {
    try Self.prepare(sql, on: handle, path: path)
  }

  /// Runs a statement once and reads each row.
  func rows<Row>(
    _ sql: String, _ read: (Statement) throws(CookieStoreError) -> Row
  ) throws(CookieStoreError) -> [Row] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement.handle) }
    var rows: [Row] = []
    while try hasRow(statement) { rows.append(try read(statement)) }
    return rows
  }

  /// Runs a statement once and reads its first row; `nil` if there is none.
  func row<Row>(
    _ sql: String, _ read: (Statement) throws(CookieStoreError) -> Row
  ) throws(CookieStoreError) -> Row? {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement.handle) }
    return try hasRow(statement) ? try read(statement) : nil
  }

  /// Runs a statement that returns one integer.
  func integer(_ sql: String) throws(CookieStoreError) -> Int64 {
    guard let first = try row(sql, { $0.integer(0) }), let first else {
      throw corrupt("\(sql) returns no integer")
    }
    return first
  }

  /// Runs a bound statement that returns one integer.
  func integer(_ statement: Statement) throws(CookieStoreError) -> Int64 {
    defer { statement.reset() }
    try check(statement.step())
    guard let integer = statement.integer(0) else { throw corrupt("an integer is missing") }
    return integer
  }

  /// Runs a closure in a read transaction, on one snapshot of the file.
  func read<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result { try transaction(begin, body) }

  /// Runs a closure in a write transaction, which excludes other writers; an error rolls it back.
  func write<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    if ContinuousClock.now >= nextPathCheck { try checkPath() }
    return try transaction(beginImmediate, body)
  }

  /// Throws if the open file is no longer at its path: everything written would be lost on closing.
  private func checkPath() throws(CookieStoreError) {
    nextPathCheck = .now
    // Stays 0 if SQLite's VFS doesn't support the check.
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved == 0 else {
      throw .storage(
        CookieStorageFailure(.gone, subject: path, detail: "the path leads to another file or none")
      )
    }
    nextPathCheck += Self.pathCheckInterval
  }

  private func transaction<Result>(
    _ begin: Statement, _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    try check(begin.run())
    do throws(CookieStoreError) {
      let result = try body()
      try check(commit.run())
      return result
    } catch {
      // Fails if SQLite has already rolled the transaction back.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Steps a statement and returns whether it has a row.
  @inline(__always)
  func hasRow(_ statement: Statement) throws(CookieStoreError) -> Bool {
    let code = statement.step()
    if code == SQLITE_ROW { return true }
    try check(code)
    return false
  }

  /// Throws unless a result code means success.
  @inline(__always)
  func check(_ code: Int32) throws(CookieStoreError) {
    guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
      throw failure(code)
    }
  }

  /// Runs a closure that may read pages which SQLite's checks reject, and change the schema.
  func toleratingDamage<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    _ = csqlite_set_option(handle, SQLITE_DBCONFIG_DEFENSIVE, false)
    try execute("PRAGMA writable_schema = ON")
    defer {
      try? execute("PRAGMA writable_schema = RESET")
      _ = csqlite_set_option(handle, SQLITE_DBCONFIG_DEFENSIVE, true)
    }
    return try body()
  }

  /// Returns an error for damage that this package found and SQLite didn't.
  func corrupt(_ detail: String) -> CookieStoreError {
    .storage(CookieStorageFailure(.corrupt, subject: path, detail: detail))
  }

  @inline(never)
  func failure(_ code: Int32) -> CookieStoreError {
    Self.failure(code, handle: handle, path: path)
  }

  private static func milliseconds(_ duration: Duration) -> Int32 {
    Int32(min(max(0, duration / .milliseconds(1)), Double(Int32.max)))
  }

  private static func prepare(
    _ sql: String, on handle: OpaquePointer, path: String
  ) throws(CookieStoreError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard let statement else { throw failure(code, handle: handle, path: path) }
    return Statement(handle: statement)
  }

  private static func failure(
    _ code: Int32, handle: OpaquePointer?, path: String
  ) -> CookieStoreError {
    // SQLite doesn't keep the system error of a failed commit, but `errno` still has it.
    let last = code & 0xff == SQLITE_IOERR ? errno : 0
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    let isCurrent = extended & 0xff == code & 0xff
    let message = isCurrent ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
    return .storage(
      CookieStorageFailure(
        code: isCurrent ? extended : code,
        message: message.map { String(cString: $0) } ?? "unknown error",
        systemError: handle.map { sqlite3_system_errno($0) }.flatMap { $0 == 0 ? nil : $0 } ?? last,
        path: path))
  }
}
