import CookiePort
import Foundation

/// An exclusive lock between threads and between processes: `flock` on a file.
///
/// Each value opens the file again, because `flock` locks belong to an open file and would not
/// exclude two threads that share one.
struct FileLock {
  private let descriptor: Int32

  /// Waits until the lock is acquired.
  init(_ file: URL) throws(CookieStoreError) {
    descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor != -1 else { throw Self.failure(file) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        let failure = Self.failure(file)
        close(descriptor)
        throw failure
      }
    }
  }

  private static func failure(_ file: URL) -> CookieStoreError {
    .storage(
      CookieStorageFailure(
        .notPermitted, subject: file.path, detail: String(cString: strerror(errno))))
  }

  /// Releases the lock by closing the file.
  func release() { close(descriptor) }
}
