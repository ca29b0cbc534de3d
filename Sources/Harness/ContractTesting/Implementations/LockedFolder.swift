package import Foundation
import SystemLocks

/// A temporary folder of this process, which the next run removes if this process is killed.
///
/// The process holds a lock on the folder (flock(2)), which the system releases when the process ends, however it
/// does.
package final class LockedFolder: Sendable {
  /// The folder.
  package let url: URL
  /// The open folder, whose lock shows that the process lives; -1 once it is closed.
  private let descriptor: Mutex<CInt>

  /// What the names of all such folders begin with.
  private static let prefix = "contract-case"

  /// Creates an empty folder with mode 0700.
  ///
  /// The first folder of a process also removes the folders of processes that were killed.
  /// - Parameters:
  ///   - kind: The rest of the name before the unique part.
  ///   - parent: The folder to create it in.
  /// - Throws: Foundation's error if the folder can't be created.
  package init(
    _ kind: String = "", in parent: URL = FileManager.default.temporaryDirectory
  ) throws {
    _ = Self.firstUse
    let id = UUID().uuidString
    url = parent.appendingPathComponent("\(Self.prefix)\(kind)-\(id)", isDirectory: true)
    // Another process must not take it for a leftover before it is locked.
    let new = parent.appendingPathComponent("contract-new-\(id)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: new, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let descriptor = open(new.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { flock(descriptor, LOCK_EX | LOCK_NB) }
    self.descriptor = Mutex(descriptor)
    try FileManager.default.moveItem(at: new, to: url)
  }

  deinit { unlock() }

  /// Removes the folder and everything in it.
  ///
  /// - Throws: Foundation's error if something can't be removed.
  package func remove() throws {
    defer { unlock() }
    try FileManager.default.removeItem(at: url)
  }

  private func unlock() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  private static let firstUse: Void = removeLeftovers(in: FileManager.default.temporaryDirectory)

  /// Removes the folders of this user's processes that have ended without removing them.
  package static func removeLeftovers(in parent: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let folder = parent.appendingPathComponent(name)
      // Every user may write to the temporary folder, so a name may be a link.
      let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      try? FileManager.default.removeItem(at: folder)
    }
  }
}
