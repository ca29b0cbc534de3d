import CSQLite
import CookiePort
import Foundation

extension Connection {
  /// Copies the file and its write-ahead log, byte by byte, to `PATH.damaged-1` and `PATH.damaged-1-wal`, or
  /// to the next number that is free, and synchronizes them with fsync(2).
  ///
  /// Another connection must hold the lock for writing, so that the log doesn't change. If the process is
  /// killed meanwhile, an empty file of that name remains.
  ///
  /// - Returns: The copy's path.
  func copyAside() throws(CookieStoreError) -> String {
    let copy = try reserveCopy()
    let partial = copy + "-partial"
    do throws(CookieStoreError) {
      // SQLite follows a symbolic link to the file. Unlike the file, the log has no POSIX locks that closing
      // a descriptor would release.
      let logPath = String(cString: sqlite3_filename_wal(sqlite3_db_filename(handle, "main")))
      guard let log = FileManager.default.contents(atPath: logPath) else {
        throw StoreFile.failure(errno, logPath)
      }
      try StoreFile.write(Array(log), to: copy + "-wal")
      try StoreFile.write(try contents(), to: partial)
      guard rename(partial, copy) == 0 else { throw StoreFile.failure(errno, copy) }
      try StoreFile.synchronizeDirectory(of: copy)
      return copy
    } catch {
      for name in [copy, copy + "-wal", partial] { unlink(name) }
      throw error
    }
  }

  /// Creates an empty file for the copy, so that two copies never have one name.
  private func reserveCopy() throws(CookieStoreError) -> String {
    var number = 1
    while true {
      let copy = "\(path).damaged-\(number)"
      let isFree = ["-wal", "-partial"].allSatisfy { access(copy + $0, F_OK) != 0 }
      let error = isFree ? StoreFile.create(copy) : EEXIST
      if error == 0 { return copy }
      guard error == EEXIST else { throw StoreFile.failure(error, copy) }
      number += 1
    }
  }

  /// Reads the bytes of the file, without its log.
  ///
  /// SQLite reads them: closing another descriptor of the file would release SQLite's POSIX locks.
  private func contents() throws(CookieStoreError) -> [UInt8] {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &pointer))
    guard let pointer, let methods = pointer.pointee.pMethods?.pointee,
      let fileSize = methods.xFileSize, let read = methods.xRead
    else { throw corrupt("the file can't be read") }
    var size = Int64()
    try check(fileSize(pointer, &size))
    var bytes: [UInt8] = []
    // not mutated (number): SQLite overwrites the bytes, and their number only costs time.
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while bytes.count < size {
      let count = min(chunk.count, Int(size) - bytes.count)
      try check(read(pointer, &chunk, Int32(count), Int64(bytes.count)))
      bytes += chunk.prefix(count)
    }
    return bytes
  }
}
