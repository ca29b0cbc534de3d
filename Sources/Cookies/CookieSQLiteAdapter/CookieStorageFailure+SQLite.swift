import CSQLite
import CookiePort
import Foundation

extension CookieStorageFailure {
  /// Creates a failure from an SQLite result code.
  ///
  /// - Parameters:
  ///   - code: An extended result code.
  ///   - message: SQLite's message.
  ///   - systemError: The `errno` of an I/O error, or 0.
  ///   - path: The database file.
  ///
  /// Source: <https://www.sqlite.org/rescode.html>.
  init(code: Int32, message: String, systemError: Int32, path: String) {
    let kind: Kind =
      switch (code & 0xff, systemError) {
      case (SQLITE_NOTADB, _): .notACookieStore
      case (SQLITE_CANTOPEN, EISDIR): .notACookieStore
      case (SQLITE_CORRUPT, _), (SQLITE_FORMAT, _): .corrupt
      case (SQLITE_FULL, _): .full
      case (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT), (SQLITE_IOERR, EFBIG): .full
      case (SQLITE_CANTOPEN, ENOSPC), (SQLITE_CANTOPEN, EDQUOT): .full
      case (SQLITE_READONLY, _), (SQLITE_CANTOPEN, _), (SQLITE_PERM, _), (SQLITE_AUTH, _):
        .notPermitted
      case (SQLITE_IOERR, EACCES), (SQLITE_IOERR, EPERM), (SQLITE_IOERR, EROFS): .notPermitted
      case (SQLITE_BUSY, _), (SQLITE_LOCKED, _), (SQLITE_PROTOCOL, _): .busy
      case (SQLITE_IOERR, _) where code == csqlite_short_read: .corrupt
      default: .other
      }
    var detail = "\(message) (SQLite result code \(code)"
    if systemError != 0 { detail += ", \(String(cString: strerror(systemError)))" }
    self.init(kind, subject: path, detail: detail + ")")
  }
}
