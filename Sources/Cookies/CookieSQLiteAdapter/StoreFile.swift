import CookiePort
import Foundation
import SystemLocks

/// The database file before SQLite opens it: made if it is missing, private from the first moment.
enum StoreFile {
  /// Kept while a file is made, as closing a descriptor takes the process's locks off its file.
  private static let making = Mutex(())

  /// The absolute path of a file that SQLite may open.
  ///
  /// An absolute path keeps SQLite from reading `:memory:` or `file:…` as something else.
  ///
  /// - Returns: The path, and whether the file was made just now: empty, of mode 0600.
  /// - Throws: ``CookieStoreError/storage(_:)`` where the path can't be that of a store. A missing
  ///   folder or permission is left for SQLite to meet.
  static func prepare(_ path: String) throws(CookieStoreError) -> (path: String, isNew: Bool) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw failure(.notPermitted, path, "not a file's path: it is empty or holds a NUL")
    }
    var absolute = path
    if !path.hasPrefix("/") {
      absolute = FileManager.default.currentDirectoryPath + "/" + path
    }
    let isNew = making.withLock { _ in
      let descriptor = open(absolute, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return false }
      close(descriptor)
      return true
    }
    var status = stat()
    if !isNew, stat(absolute, &status) == 0 {
      try check(absolute, status)
    }
    return (absolute, isNew)
  }

  /// Refuses what SQLite would open, or leave traces beside, without being of use.
  private static func check(_ path: String, _ status: stat) throws(CookieStoreError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw failure(.notACookieStore, path, "it is a folder")
    default: throw failure(.notACookieStore, path, "it is neither a file nor a folder")
    }
    guard access(path, R_OK | W_OK) == 0 else {
      throw failure(.notPermitted, path, String(cString: strerror(errno)))
    }
    switch status.st_size {
    case 0: chmod(path, 0o600)
    // SQLite takes a file of one octet for an empty one.
    case ..<headerSize: throw failure(.notACookieStore, path, "file is not a database: too short")
    default: try checkJournal(of: path)
    }
  }

  /// The length of a database's header in octets.
  private static let headerSize = 100

  /// Whether a write-ahead log with something in it stands beside the file.
  static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  /// Refuses a file that another program's crash has left in the midst of a transaction.
  ///
  /// SQLite would play the rollback journal back into the file, before anyone can tell whose it is.
  /// A store's own is of a file that was empty: afterwards there is the write-ahead log.
  private static func checkJournal(of path: String) throws(CookieStoreError) {
    // A pipe would be waited on, here as in SQLite.
    var status = stat()
    guard stat(path + "-journal", &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw failure(.notACookieStore, path, "its rollback journal is no file")
    }
    guard let journal = FileHandle(forReadingAtPath: path + "-journal") else { return }
    defer { try? journal.close() }
    // Magic number, page count, nonce, initial pages: <https://www.sqlite.org/fileformat2.html>.
    guard let header = try? journal.read(upToCount: 20), header.count == 20,
      header.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]),
      header.suffix(4).contains(where: { $0 != 0 })
    else { return }
    throw failure(
      .notACookieStore, path, "a rollback journal of another program stands beside it")
  }

  /// Returns once the folder's entry for a new file is on the medium (fsync(2)).
  static func synchronizeFolder(of path: String) throws(CookieStoreError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path(percentEncoded: false)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      let error = String(cString: strerror(errno))
      close(descriptor)
      throw failure(.other, folder, "the folder can't be synchronised: \(error)")
    }
    close(descriptor)
  }

  private static func failure(
    _ kind: CookieStorageFailure.Kind, _ path: String, _ detail: String
  ) -> CookieStoreError {
    .storage(CookieStorageFailure(kind, subject: path, detail: detail))
  }
}
