import Foundation

/// The lock of a run on its folder: a second run would weave into the same copy, and switch mutants
/// in the same memory.
///
/// The system releases it when the process ends, however it does (flock(2)).
struct FolderLock: ~Copyable {
  private let descriptor: CInt

  /// Locks a folder, and creates it if necessary.
  ///
  /// - Throws: ``MutationError`` if another run has locked the folder, or it can't be created.
  init(_ folder: String) throws(MutationError) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw MutationError("can't create \(folder): \(error)")
    }
    // On the folder itself, so that no file is left. Test processes must not inherit the lock.
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.error("can't open \(folder)", code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK else { throw Self.error("can't lock \(folder)", code: code) }
      throw MutationError(
        "another 'contracts mutate' is running in this package; wait until it has ended")
    }
    self.descriptor = descriptor
  }

  private static func error(_ text: String, code: CInt) -> MutationError {
    MutationError("\(text): \(String(cString: strerror(code)))")
  }

  deinit { close(descriptor) }
}
