import CSQLite
import ExpiringStorePort

/// A connection to the file. One thread at a time uses it.
final class Database {
  private let connection: OpaquePointer

  init(path: String, busyMilliseconds: Int32) throws(ExpiringStoreError) {
    if path.utf8.contains(0) { throw .unavailable(reason: "the path '\(path)' contains a NUL") }
    var connection: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &connection, flags, nil)
    guard let connection else { throw .unavailable(reason: String(cString: sqlite3_errstr(code))) }
    // If the file could not be opened, each call with the connection fails with the reason.
    self.connection = connection
    sqlite3_busy_timeout(connection, busyMilliseconds)
    // Another process may be creating the table now.
    for sql in [
      "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
      """
      CREATE TABLE IF NOT EXISTS expiring_values
      (key BLOB PRIMARY KEY, value BLOB NOT NULL, "end" INTEGER) WITHOUT ROWID
      """,
      """
      CREATE INDEX IF NOT EXISTS expiring_values_end ON expiring_values ("end")
      WHERE "end" IS NOT NULL
      """,
      "SELECT key, value, \"end\" FROM expiring_values LIMIT 0",
    ] {
      try execute(sql)
    }
  }

  deinit { sqlite3_close_v2(connection) }

  /// Stores a value with its end in nanoseconds since 1970, and removes two that have expired. Returns whether it did.
  func store(
    _ key: String, _ value: [UInt8], until end: Int64?, at now: Duration, replacing: Bool
  ) throws(ExpiringStoreError) -> Bool {
    let now = StoreTime.nanoseconds(now)
    try execute("BEGIN IMMEDIATE")
    do throws(ExpiringStoreError) {
      try run(
        """
        DELETE FROM expiring_values WHERE key IN
        (SELECT key FROM expiring_values WHERE "end" <= ? ORDER BY "end" LIMIT 2)
        """, .integer(now))
      try run(
        """
        INSERT INTO expiring_values VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE
        SET value = excluded.value, "end" = excluded."end" WHERE ? = 1 OR "end" <= ?
        """, .bytes(Array(key.utf8)), .bytes(value), .integer(end), .integer(replacing ? 1 : nil),
        .integer(now))
      let count = sqlite3_changes(connection)
      try execute("COMMIT")
      return count == 1
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  func value(of key: String, at now: Duration) throws(ExpiringStoreError) -> [UInt8]? {
    var value: [UInt8]?
    try run(
      "SELECT value FROM expiring_values WHERE key = ? AND (\"end\" IS NULL OR \"end\" > ?)",
      .bytes(Array(key.utf8)), .integer(StoreTime.nanoseconds(now))
    ) { statement in
      let count = Int(sqlite3_column_bytes(statement, 0))
      value = Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: count))
    }
    return value
  }

  func remove(_ key: String) throws(ExpiringStoreError) {
    try run("DELETE FROM expiring_values WHERE key = ?", .bytes(Array(key.utf8)))
  }

  // MARK: - Statements

  enum Parameter {
    case bytes([UInt8])
    case integer(Int64?)
  }

  private func execute(_ sql: String) throws(ExpiringStoreError) {
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure() }
  }

  func run(
    _ sql: String, _ parameters: Parameter..., row: (OpaquePointer) -> Void = { _ in }
  ) throws(ExpiringStoreError) {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard let statement else { throw failure() }
    defer { sqlite3_finalize(statement) }
    for (index, parameter) in zip(Int32(1)..., parameters) {
      let code =
        switch parameter {
        case .integer(let value?): sqlite3_bind_int64(statement, index, value)
        case .integer(nil): sqlite3_bind_null(statement, index)
        case .bytes(let bytes): csqlite_bind_blob(statement, index, bytes, UInt64(bytes.count))
        }
      if code != SQLITE_OK { throw failure() }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: row(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func failure() -> ExpiringStoreError {
    .unavailable(reason: "SQLite: \(String(cString: sqlite3_errmsg(connection)))")
  }
}
