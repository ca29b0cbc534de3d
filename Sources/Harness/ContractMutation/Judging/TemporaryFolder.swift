import Foundation
import SystemProcesses

/// The folder of the temporary files of all test processes.
///
/// It is removed also if this process is killed.
///
/// It is in memory where that is possible, because synchronizing files takes time. Cases that crash
/// leave their files, so that the whole folder is removed.
struct TemporaryFolder {
  /// The folder's path.
  let path: String

  private let lifeline: Lifeline

  /// Where Linux keeps files in memory (shm_open(3)).
  private static let memory = "/dev/shm"

  /// A folder in memory must have this much space, in bytes: containers often have 64 MiB.
  private static let leastSpace = 1 << 30

  /// Creates an empty folder, and removes what an interrupted run of the same package has left.
  ///
  /// - Throws: ``MutationError`` if it can't be created.
  init(for package: String) throws(MutationError) {
    let files = FileManager.default
    let attributes = try? files.attributesOfFileSystem(forPath: Self.memory)
    let space = (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
    let parent =
      space >= Self.leastSpace && files.isWritableFile(atPath: Self.memory)
      ? Self.memory : files.temporaryDirectory.path
    let name = Keys.fingerprint(package).prefix(12)
    path = "\(parent)/contracts-mutate-\(getuid())-\(name)"
    try? files.removeItem(atPath: path)
    do {
      lifeline = try Lifeline(removing: path)
      // Other users may enter the folder, since tests run programs as them, and not list it.
      try files.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
    } catch {
      throw MutationError("can't create the folder of temporary files \(path): \(error)")
    }
  }

  /// Removes the folder and everything in it.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
    lifeline.dismiss()
  }
}
