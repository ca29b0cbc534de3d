import CSQLite
import CookiePort
import Foundation

/// A prepared statement; the connection that prepared it finalises it.
///
/// Methods return SQLite's result codes: the hot paths compare integers, and only a failure becomes
/// an error.
struct Statement {
  let handle: OpaquePointer

  /// Runs up to the next row (`SQLITE_ROW`) or the end (`SQLITE_DONE`).
  func step() -> Int32 { sqlite3_step(handle) }

  /// Ends the run, so that it may be bound and stepped again.
  func reset() { sqlite3_reset(handle) }

  /// Runs to the end, and resets.
  func run() -> Int32 {
    var code = step()
    while code == SQLITE_ROW { code = step() }
    reset()
    return code
  }

  // MARK: Parameters, numbered from 1

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ index: Int32, _ value: Bool) { sqlite3_bind_int(handle, index, value ? 1 : 0) }

  func bind(_ index: Int32, _ value: Date) {
    sqlite3_bind_double(handle, index, value.timeIntervalSinceReferenceDate)
  }

  func bind(_ index: Int32, _ value: Date?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  /// Binds text by its octets, NUL included.
  func bind(_ index: Int32, _ text: String) {
    let code = text.utf8.withContiguousStorageIfAvailable {
      csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
    }
    guard code == nil else { return }
    Array(text.utf8).withUnsafeBufferPointer {
      _ = csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
    }
  }

  // MARK: Columns, numbered from 0; `nil` where the file holds something else

  /// Text of any kind, as SQLite gives it.
  func words(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  func integer(_ column: Int32) -> Int64? {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(handle, column)
  }

  func boolean(_ column: Int32) -> Bool? {
    switch integer(column) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// An instant of the years that cookies know.
  func date(_ column: Int32) -> Date? {
    guard sqlite3_column_type(handle, column) == SQLITE_FLOAT else { return nil }
    let date = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(handle, column))
    return (CookieDate.earliest...CookieDate.latest).contains(date) ? date : nil
  }

  /// A date or, where the file holds NULL, none; the outer `nil` is something else again.
  func optionalDate(_ column: Int32) -> Date?? {
    if sqlite3_column_type(handle, column) == SQLITE_NULL { return .some(nil) }
    return date(column).map { .some($0) }
  }

  /// Text in UTF-8 without control characters: no more would be let into a header.
  func text(_ column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT,
      let start = sqlite3_column_text(handle, column)
    else { return nil }
    let octets = UnsafeBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(handle, column)))
    guard !octets.contains(where: \.isCookieControl) else { return nil }
    return String(validating: octets, as: UTF8.self)
  }
}
