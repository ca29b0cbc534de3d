import CQueueSQLite
import Foundation
public import JobQueue
import Synchronization

/// A job queue in an SQLite file, which threads and processes may share.
///
/// Each operation is one transaction, which is on the disk when the operation returns.
public final class SQLiteJobQueue: JobQueue {
  private let database: Mutex<Database>
  private let policy: JobPolicy
  private let now: JobClock

  /// Opens a queue. The file is created if there is none.
  ///
  /// - Throws: `unavailable` with SQLite's message.
  public init(
    path: String, policy: JobPolicy = .init(), now: @escaping JobClock
  ) throws(JobQueueError) {
    let database = try Database(path: path)
    try database.run(
      """
      CREATE TABLE IF NOT EXISTS jobs(
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, body TEXT NOT NULL,
        due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
        reserved INTEGER NOT NULL DEFAULT 0, dead INTEGER)
      """)
    self.database = Mutex(database)
    self.policy = policy
    self.now = now
  }

  public func push(_ job: Job, delay: Duration) throws(JobQueueError) -> Bool {
    try transaction { database, now throws(JobQueueError) in
      try database.run(
        "INSERT OR IGNORE INTO jobs(id, body, due) VALUES (?, ?, ?)",
        .text(job.id), .text(job.body), .integer(now + delay.milliseconds))
      return database.changes > 0
    }
  }

  public func reserve() throws(JobQueueError) -> Reservation? {
    try transaction { database, now throws(JobQueueError) in
      let rows = try database.run(
        """
        UPDATE jobs SET reserved = 1, attempts = attempts + 1, due = ?
        WHERE number = (SELECT number FROM jobs WHERE dead IS NULL AND NOT reserved AND due <= ?
          ORDER BY due, number LIMIT 1)
        RETURNING id, body, attempts
        """, .integer(now + policy.visibility.milliseconds), .integer(now))
      guard let row = rows.first else { return nil }
      return Reservation(
        job: Job(id: row[0], body: row[1]),
        receipt: Receipt(jobID: row[0], attempt: Int(row[2]) ?? 0))
    }
  }

  public func acknowledge(_ receipt: Receipt) throws(JobQueueError) -> Bool {
    try transaction { database, _ throws(JobQueueError) in
      try database.run(
        "DELETE FROM jobs WHERE id = ? AND attempts = ? AND reserved", .text(receipt.jobID),
        .integer(Int64(receipt.attempt)))
      return database.changes > 0
    }
  }

  public func retry(_ receipt: Receipt) throws(JobQueueError) -> Bool {
    try transaction { database, now throws(JobQueueError) in
      try database.run(
        """
        UPDATE jobs SET reserved = 0, due = ?,
          dead = CASE WHEN attempts >= ? THEN (SELECT COALESCE(MAX(dead), 0) + 1 FROM jobs) END
        WHERE id = ? AND attempts = ? AND reserved
        """, .integer(now + policy.backOff(after: receipt.attempt).milliseconds),
        .integer(Int64(policy.attempts)), .text(receipt.jobID), .integer(Int64(receipt.attempt)))
      return database.changes > 0
    }
  }

  public func deadLetters() throws(JobQueueError) -> [Job] {
    try transaction { database, _ throws(JobQueueError) in
      try database.run("SELECT id, body FROM jobs WHERE dead IS NOT NULL ORDER BY dead")
        .map { Job(id: $0[0], body: $0[1]) }
    }
  }

  public func size() throws(JobQueueError) -> Int {
    try transaction { database, _ throws(JobQueueError) in
      Int(try database.run("SELECT COUNT(*) FROM jobs WHERE dead IS NULL")[0][0]) ?? 0
    }
  }

  /// Runs one transaction, after the reservations whose time is up have ended.
  private func transaction<Value: Sendable>(
    _ body: (Database, _ now: Int64) throws(JobQueueError) -> Value
  ) throws(JobQueueError) -> Value {
    try database.withLock { database throws(JobQueueError) in
      try database.run("BEGIN IMMEDIATE")
      do throws(JobQueueError) {
        // The clock is read inside, so that times have the order of the transactions.
        let now = now().milliseconds
        let expired = try database.run(
          "SELECT number FROM jobs WHERE reserved AND due <= ? ORDER BY due, number", .integer(now))
        for row in expired {
          try database.run(
            """
            UPDATE jobs SET reserved = 0,
              dead = CASE WHEN attempts >= ? THEN (SELECT COALESCE(MAX(dead), 0) + 1 FROM jobs) END
            WHERE number = ?
            """, .integer(Int64(policy.attempts)), .text(row[0]))
        }
        let value = try body(database, now)
        try database.run("COMMIT")
        return value
      } catch {
        _ = try? database.run("ROLLBACK")
        throw error
      }
    }
  }
}

/// A connection to an SQLite file. It is used with a lock held.
private final class Database {
  enum Value {
    case integer(Int64)
    case text(String)
  }

  private var handle: OpaquePointer?

  init(path: String) throws(JobQueueError) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
      defer { sqlite3_close_v2(handle) }
      throw error
    }
    // Another process may be writing.
    try run("PRAGMA busy_timeout = 5000")
    // With a rollback journal, only EXTRA also syncs the folder when the journal is removed.
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = FULL")
  }

  deinit { sqlite3_close_v2(handle) }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  private var error: JobQueueError {
    .unavailable(String(cString: sqlite3_errmsg(handle)))
  }

  /// Runs a statement, and returns its rows as text.
  @discardableResult
  func run(_ sql: String, _ values: Value...) throws(JobQueueError) -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw error }
    defer { sqlite3_finalize(statement) }
    // SQLite copies the text before the call returns.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, value) in values.enumerated() {
      let column = Int32(index + 1)
      let result =
        switch value {
        case .integer(let number): sqlite3_bind_int64(statement, column, number)
        case .text(let text):
          sqlite3_bind_text(statement, column, text, Int32(text.utf8.count), transient)
        }
      guard result == SQLITE_OK else { throw error }
    }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            let size = Int(sqlite3_column_bytes(statement, column))
            guard let bytes = sqlite3_column_text(statement, column) else { return "" }
            return String(decoding: UnsafeBufferPointer(start: bytes, count: size), as: UTF8.self)
          })
      case SQLITE_DONE: return rows
      default: throw error
      }
    }
  }
}
