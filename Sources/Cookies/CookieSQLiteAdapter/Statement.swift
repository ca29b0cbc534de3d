import CSQLite
import CookiePort
import Foundation

/// A prepared statement; the connection that prepared it finalizes it.
///
/// Methods return SQLite's result codes, because comparing integers is faster than throwing; the
/// connection converts failures to errors.
struct Statement {
  let handle: OpaquePointer

  /// Runs to the next row (`SQLITE_ROW`) or to the end (`SQLITE_DONE`).
  func step() -> Int32 { sqlite3_step(handle) }

  /// Ends the run; the statement may be bound and stepped again.
  func reset() { sqlite3_reset(handle) }

  /// Runs to the end and resets.
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

  /// Binds a copy of text, including NUL bytes.
  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { _ = csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
  }

  /// Binds ends of a text as the first parameters, without copies, while a closure runs and resets the
  /// statement; the other parameters are NULL.
  func withSuffixes(
    _ suffixes: ArraySlice<String>, of text: String, _ body: () throws(CookieStoreError) -> Void
  ) throws(CookieStoreError) {
    var text = text
    let result = text.withUTF8 { bytes -> Result<Void, CookieStoreError> in
      for (index, suffix) in suffixes.enumerated() {
        let part = UnsafeBufferPointer(rebasing: bytes.suffix(suffix.utf8.count))
        _ = csqlite_bind_static_text(
          handle, Int32(index + 1), part.baseAddress, UInt64(part.count))
      }
      defer { sqlite3_clear_bindings(handle) }
      do throws(CookieStoreError) { return .success(try body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  // MARK: Columns, numbered from 0; `nil` if the file has another type or an invalid value

  /// Returns a column of the current row if it has a type; the value is invalid after the next
  /// step.
  ///
  /// SQLite calls it an unprotected value: it may only be used by the thread that uses the
  /// connection, which the store's lock ensures. Reading type, bytes and length from it is several
  /// times as fast as reading each from the statement.
  @inline(__always)
  private func value(_ column: Int32, _ type: Int32) -> OpaquePointer? {
    let value = sqlite3_column_value(handle, column)
    return sqlite3_value_type(value) == type ? value : nil
  }

  @inline(__always)
  func integer(_ column: Int32) -> Int64? {
    value(column, SQLITE_INTEGER).map { sqlite3_value_int64($0) }
  }

  @inline(__always)
  func boolean(_ column: Int32) -> Bool? {
    guard let value = value(column, SQLITE_INTEGER) else { return nil }
    let integer = sqlite3_value_int64(value)
    return integer == integer & 1 ? integer == 1 : nil
  }

  /// Reads an instant between ``earliest`` and ``latest``.
  @inline(__always)
  func date(_ column: Int32) -> Date? {
    guard let value = value(column, SQLITE_FLOAT) else { return nil }
    let seconds = sqlite3_value_double(value)
    guard seconds >= Self.earliest, seconds <= Self.latest else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// ``CookieDate/earliest`` and ``CookieDate/latest`` in seconds since 2001, as inlinable
  /// constants.
  static var earliest: TimeInterval { -63_114_076_800 }
  static var latest: TimeInterval { 252_423_993_599 }

  /// Reads an instant or NULL, which is `.some(nil)`; `nil` is an invalid value.
  @inline(__always)
  func optionalDate(_ column: Int32) -> Date?? {
    if let date = date(column) { return .some(date) }
    return value(column, SQLITE_NULL) == nil ? nil : .some(nil)
  }

  /// Reads UTF-8 text without control characters, which must not get into a header.
  @inline(__always)
  func text(_ column: Int32) -> String? {
    guard let value = value(column, SQLITE_TEXT), let start = sqlite3_value_text(value) else {
      return nil
    }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    // The loop has no early exit so that the compiler can vectorize it.
    // not mutated (number): the slow path below has the same result.
    var isNotPrintableASCII: UInt8 = 0
    // not mutated (number): the slow path below has the same result.
    for byte in bytes { isNotPrintableASCII |= byte &- 0x20 < 0x5F ? 0 : 1 }
    if isNotPrintableASCII == 0 { return String(decoding: bytes, as: UTF8.self) }
    guard !bytes.contains(where: { $0.isCookieControl }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns the bytes of a column of text, even if they are not valid UTF-8.
  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  /// Returns a column of any type as text for messages.
  func displayText(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }
}
