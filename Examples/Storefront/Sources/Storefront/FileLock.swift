import CookiePort
import Foundation

/// A file that one handle at a time has locked, within and between processes.
struct FileLock {
  private let descriptor: Int32

  /// Waits for the lock.
  init(_ file: URL) throws(CookieStoreError) {
    descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(file) }
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

  /// Lets the next one have the lock.
  func release() { close(descriptor) }
}
