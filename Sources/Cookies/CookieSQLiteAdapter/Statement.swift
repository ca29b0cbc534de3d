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

  /// Binds text without a copy: it has to stay where it is until the statement is reset.
  @inline(__always)
  func bind(_ index: Int32, borrowed octets: UnsafeBufferPointer<UInt8>) {
    _ = csqlite_bind_borrowed_text(handle, index, octets.baseAddress, UInt64(octets.count))
  }

  // MARK: Columns, numbered from 0; `nil` where the file holds something else

  /// A column of the row; not to be used after the next step.
  ///
  /// SQLite calls such a value unprotected: it belongs to whoever holds the connection alone, as
  /// the store's lock sees to. Asking it for type, octets and length costs a fraction of asking the
  /// statement for each.
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

  /// An instant of the years that cookies know.
  @inline(__always)
  func date(_ column: Int32) -> Date? {
    guard let value = value(column, SQLITE_FLOAT) else { return nil }
    let seconds = sqlite3_value_double(value)
    guard seconds >= Self.earliest, seconds <= Self.latest else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// ``CookieDate/earliest`` and ``CookieDate/latest`` in seconds, at hand without a call.
  static var earliest: TimeInterval { -63_114_076_800 }
  static var latest: TimeInterval { 252_423_993_599 }

  /// A date or, where the file holds NULL, none; the outer `nil` is something else again.
  @inline(__always)
  func optionalDate(_ column: Int32) -> Date?? {
    if let date = date(column) { return .some(date) }
    return value(column, SQLITE_NULL) == nil ? nil : .some(nil)
  }

  /// Text in UTF-8 without control characters: no more would be let into a header.
  ///
  /// - Parameter known: A string that may well be this text: it is returned if it is.
  @inline(__always)
  func text(_ column: Int32, known: String? = nil) -> String? {
    guard let value = value(column, SQLITE_TEXT), let start = sqlite3_value_text(value) else {
      return nil
    }
    let octets = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    if let known, known.utf8.count == octets.count,
      known.utf8.withContiguousStorageIfAvailable({ known in
        known.baseAddress.map { memcmp($0, start, known.count) == 0 } ?? false
      }) == true
    {
      return known
    }
    // Without a way out of the loop, the compiler takes many octets at a time.
    var unusual: UInt8 = 0
    for octet in octets { unusual |= octet &- 0x20 < 0x5F ? 0 : 1 }
    if unusual == 0 { return String(decoding: octets, as: UTF8.self) }
    guard !octets.contains(where: \.isCookieControl) else { return nil }
    return String(validating: octets, as: UTF8.self)
  }

  /// A column of any type, as text for people.
  func words(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }
}
