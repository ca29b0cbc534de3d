import CSQLite
import CookiePort
import Foundation

/// A connection to a database file: statements, transactions, and failures as typed errors.
///
/// It isn't thread-safe, neither here nor in SQLite (`SQLITE_OPEN_NOMUTEX`): the store's lock is
/// the only one.
final class Connection {
  let path: String
  private let handle: OpaquePointer
  private let busyTimeout: Int32
  private let begin: Statement
  private let beginImmediate: Statement
  private let commit: Statement

  /// When to look next whether the file is still where it was opened.
  private var nextPlaceCheck = ContinuousClock.now
  /// A look is a call of the system; before each write it would cost a twelfth of the rate.
  private static let placeCheckInterval = Duration.milliseconds(100)

  /// Opens an existing file.
  ///
  /// - Parameters:
  ///   - path: An absolute path.
  ///   - busyTimeout: How long to wait for other handles; at most 2³¹ − 1 ms.
  init(path: String, busyTimeout: Duration) throws(CookieStoreError) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened, code == SQLITE_OK else {
      defer { sqlite3_close(opened) }
      throw Self.failure(code, handle: opened, path: path)
    }
    self.path = path
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    self.busyTimeout = Self.milliseconds(busyTimeout)
    sqlite3_busy_timeout(opened, self.busyTimeout)
    // A hostile file must not run code of its own, and a damaged page be noticed when it is read.
    _ = csqlite_set_option(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
    let executable = [
      SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
    ]
    for option in executable { _ = csqlite_set_option(opened, option, 0) }
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
    sqlite3_close(handle)
  }

  /// Whether the file, or the medium it is on, can only be read.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether closing the last connection moves the write-ahead log into the file.
  func setCheckpointsOnClose(_ value: Bool) {
    _ = csqlite_set_option(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, value ? 0 : 1)
  }

  /// Does something that isn't worth waiting for: another handle's lock is a failure at once.
  func withoutWaiting<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, busyTimeout) }
    return try body()
  }

  /// Does something again while another handle's lock is in the way, for what SQLite won't wait for.
  func retryingWhileBusy(_ body: () throws(CookieStoreError) -> Void) throws(CookieStoreError) {
    let end = ContinuousClock.now + .milliseconds(busyTimeout)
    while true {
      do throws(CookieStoreError) {
        return try body()
      } catch {
        guard case .storage(let failure) = error, failure.kind == .busy,
          ContinuousClock.now < end
        else { throw error }
        usleep(1000)
      }
    }
  }

  /// Moves the whole write-ahead log into the file, both synchronised.
  func checkpoint() throws(CookieStoreError) {
    try checkPlace()
    try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL, nil, nil))
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(CookieStoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Prepares a statement to be run many times.
  func prepare(_ sql: String) throws(CookieStoreError) -> Statement {
    try Self.prepare(sql, on: handle, path: path)
  }

  /// Runs a statement once, reading each row.
  func rows<Row>(
    _ sql: String, _ read: (Statement) throws(CookieStoreError) -> Row
  ) throws(CookieStoreError) -> [Row] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement.handle) }
    var rows: [Row] = []
    var code = statement.step()
    while code == SQLITE_ROW {
      rows.append(try read(statement))
      code = statement.step()
    }
    try check(code)
    return rows
  }

  /// Runs a statement of one integer.
  func integer(_ sql: String) throws(CookieStoreError) -> Int64 {
    guard let first = try rows(sql, { $0.integer(0) }).first, let first else {
      throw corrupt("\(sql) gives no integer")
    }
    return first
  }

  /// Runs a bound statement of one integer.
  func integer(_ statement: Statement) throws(CookieStoreError) -> Int64 {
    defer { statement.reset() }
    try check(statement.step())
    guard let integer = statement.integer(0) else { throw corrupt("an integer is missing") }
    return integer
  }

  /// Reads in one snapshot of the file.
  func read<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result { try transaction(begin, body) }

  /// Reads and writes with every other writer kept out; an error takes everything back.
  func write<Result>(
    _ body: () throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    if ContinuousClock.now >= nextPlaceCheck { try checkPlace() }
    return try transaction(beginImmediate, body)
  }

  /// Throws where the path leads to another file than the open one, or to none: what is written
  /// would be gone when it is closed.
  private func checkPlace() throws(CookieStoreError) {
    nextPlaceCheck = .now
    // It stays 0 where the file system can't tell.
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard hasMoved == 0 else {
      throw .storage(
        CookieStorageFailure(.gone, subject: path, detail: "another file, or none, is there now"))
    }
    nextPlaceCheck += Self.placeCheckInterval
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
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Goes to the next row of a statement, if there is one.
  @inline(__always)
  func hasRow(_ statement: Statement) throws(CookieStoreError) -> Bool {
    let code = statement.step()
    if code == SQLITE_ROW { return true }
    try check(code)
    return false
  }

  /// Throws unless the code says that a step succeeded.
  @inline(__always)
  func check(_ code: Int32) throws(CookieStoreError) {
    guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
      throw failure(code)
    }
  }

  /// A failure of this file, found by this package and not by SQLite.
  func corrupt(_ detail: String) -> CookieStoreError {
    .storage(CookieStorageFailure(.corrupt, subject: path, detail: detail))
  }

  @inline(never)
  private func failure(_ code: Int32) -> CookieStoreError {
    Self.failure(code, handle: handle, path: path)
  }

  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    return Int32(max(0, min(milliseconds, Double(Int32.max))))
  }

  private static func prepare(
    _ sql: String, on handle: OpaquePointer, path: String
  ) throws(CookieStoreError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard let statement, code == SQLITE_OK else {
      throw failure(code, handle: handle, path: path)
    }
    return Statement(handle: statement)
  }

  private static func failure(
    _ code: Int32, handle: OpaquePointer?, path: String
  ) -> CookieStoreError {
    // What a failed commit met, SQLite doesn't keep: it is the thread's last error still.
    let last = code & 0xff == SQLITE_IOERR ? errno : 0
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
    let isCurrent = extended & 0xff == code & 0xff
    let words = isCurrent ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
    return .storage(
      CookieStorageFailure(
        code: isCurrent ? extended : code,
        words: words.map { String(cString: $0) } ?? "unknown error",
        systemError: handle.map { sqlite3_system_errno($0) }.flatMap { $0 == 0 ? nil : $0 } ?? last,
        path: path))
  }
}
