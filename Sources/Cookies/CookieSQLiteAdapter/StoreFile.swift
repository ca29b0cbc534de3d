import CookiePort
import Foundation
import SystemLocks

/// Checks and creates the database file before SQLite opens it.
enum StoreFile {
  /// Held while a file is created: closing any descriptor of a file releases the process's POSIX
  /// locks on it, including those of an SQLite connection in another thread.
  private static let creationLock = Mutex(())

  /// Checks a path, and creates the file with mode 0600 if it doesn't exist.
  ///
  /// - Returns: The absolute path.
  /// - Throws: ``CookieStoreError/storage(_:)`` if the path can't be that of a store.
  static func prepare(_ path: String) throws(CookieStoreError) -> String {
    let path = try absolute(path)
    let error = creationLock.withLock { _ in create(path) }
    guard error == 0 || error == EEXIST else { throw failure(error, path) }
    if error == EEXIST { try check(path) }
    return path
  }

  /// Creates an empty file with mode 0600.
  ///
  /// - Returns: 0, or the `errno`: `EEXIST` if there is a file.
  static func create(_ path: String) -> Int32 {
    let descriptor = open(path, O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor != -1 else { return errno }
    close(descriptor)
    return 0
  }

  /// Creates a file with mode 0600, and synchronizes it with fsync(2).
  ///
  /// - Throws: ``CookieStoreError/storage(_:)`` if there is a file, or writing fails.
  static func write(_ bytes: [UInt8], to path: String) throws(CookieStoreError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor != -1 else { throw failure(errno, path) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count != -1 else { throw failure(errno, path) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw failure(errno, path) }
  }

  /// Checks the path of a file that must exist.
  ///
  /// - Returns: The absolute path.
  /// - Throws: ``CookieStoreError/storage(_:)`` if the path can't be that of a store.
  static func existing(_ path: String) throws(CookieStoreError) -> String {
    let path = try absolute(path)
    try check(path)
    return path
  }

  /// Returns the absolute path, because SQLite treats relative names such as `:memory:` and `file:…`
  /// specially.
  private static func absolute(_ path: String) throws(CookieStoreError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw failure(.notPermitted, path, "the path is empty or contains a NUL byte")
    }
    return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// Rejects files that can't be stores but that SQLite would open, wait for or change.
  private static func check(_ path: String) throws(CookieStoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw failure(errno, path) }
      throw failure(.notACookieStore, path, "there is no file, or a symbolic link leads to none")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw failure(.notACookieStore, path, "it is not a regular file")
    }
    switch status.st_size {
    // SQLite gives the log the file's mode, so makePrivate(_:) would come too late.
    case 0: chmod(path, 0o600)
    // SQLite treats a file of one byte as an empty database, and refuses others without a header.
    case 1: throw failure(.notACookieStore, path, "file is not a database: too short")
    default: try checkJournal(of: path)
    }
  }

  /// Whether the file has a write-ahead log.
  static func hasLog(_ path: String) -> Bool { access(path + "-wal", F_OK) == 0 }

  /// Rejects a file with a hot rollback journal, which a crash of another program has left.
  ///
  /// SQLite would roll the journal back into the file before this package can read the file's
  /// `application_id`. A store's own journal always belongs to an empty file: afterwards the store
  /// uses the write-ahead log.
  private static func checkJournal(of path: String) throws(CookieStoreError) {
    // Opening a pipe would block, here and in SQLite.
    var status = stat()
    guard stat(path + "-journal", &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw failure(.notACookieStore, path, "its rollback journal is not a regular file")
    }
    guard let journal = FileHandle(forReadingAtPath: path + "-journal") else { return }
    defer { try? journal.close() }
    // Magic number, page count, nonce, initial pages: <https://www.sqlite.org/fileformat2.html>.
    guard let header = try? journal.read(upToCount: 20), header.count == 20,
      header.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]),
      header.suffix(4).contains(where: { $0 != 0 })
    else { return }
    throw failure(
      .notACookieStore, path, "it has a rollback journal of another program")
  }

  /// Synchronizes a new file's directory entry with fsync(2).
  static func synchronizeDirectory(of path: String) throws(CookieStoreError) {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path(
      percentEncoded: false)
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor != -1, fsync(descriptor) == 0 else {
      let error = String(cString: strerror(errno))
      throw failure(.other, directory, "the directory can't be synchronized: \(error)")
    }
  }

  /// Takes the access to a store and its log from other users than their owner.
  ///
  /// Called only after the file is known to be a store, because another program's file must not change.
  static func makePrivate(_ path: String) throws(CookieStoreError) {
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      guard stat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      guard chmod(path + suffix, 0o600) == 0 || errno == ENOENT else {
        throw failure(
          .notPermitted, path + suffix,
          "other users may read it, and its mode can't be changed: \(String(cString: strerror(errno)))"
        )
      }
    }
  }

  /// Creates an error from an `errno`.
  static func failure(_ error: Int32, _ path: String) -> CookieStoreError {
    let kind: CookieStorageFailure.Kind =
      switch error {
      case ENOENT, ENOTDIR: .missingDirectory
      case EACCES, EPERM, EROFS: .notPermitted
      case ENOSPC, EDQUOT, EFBIG: .full
      case EISDIR: .notACookieStore
      default: .other
      }
    return failure(kind, path, String(cString: strerror(error)))
  }

  private static func failure(
    _ kind: CookieStorageFailure.Kind, _ path: String, _ detail: String
  ) -> CookieStoreError {
    .storage(CookieStorageFailure(kind, subject: path, detail: detail))
  }
}
