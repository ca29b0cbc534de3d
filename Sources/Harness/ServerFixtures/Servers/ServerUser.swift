import Foundation
import SystemProcesses

/// The user that a server runs as if this process is root.
///
/// Some servers, such as PostgreSQL, refuse to run as root.
struct ServerUser: Sendable {
  var name: String

  /// The command that runs another one as the user; empty if this process is not root.
  ///
  /// Source: setpriv(1) of util-linux.
  func prefix(_ program: String) throws(ServerError) -> [String] {
    guard geteuid() == 0 else { return [] }
    guard let entry = getpwnam(name) else {
      throw ServerError(.notStarted, program, "can't run as the user \(name), who does not exist")
    }
    guard let setpriv = executablePath(of: "setpriv") else {
      throw ServerError(
        .notStarted, program, "can't run as the user \(name): setpriv not found; install util-linux"
      )
    }
    return [setpriv, "--reuid=\(name)", "--regid=\(entry.pointee.pw_gid)", "--init-groups", "--"]
  }

  /// Gives the user a place's folder, and lets everybody enter the folder around it.
  func adopt(_ place: ServerPlace, _ program: String) throws {
    guard geteuid() == 0 else { return }
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o711], ofItemAtPath: place.root.path)
    try files.setAttributes([.ownerAccountName: name], ofItemAtPath: place.folder.path)
    try checkAccess(to: place.root.resolvingSymlinksInPath().deletingLastPathComponent(), program)
  }

  /// Throws unless everybody may enter a folder and those around it.
  func checkAccess(to folder: URL, _ program: String) throws {
    var folder = folder
    while folder.path != "/" {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
      guard (attributes[.posixPermissions] as? Int ?? 0) & 0o001 != 0 else {
        throw ServerError(
          .notStarted, program,
          "can't run as the user \(name), who can't enter the folder \(folder.path); allow that, or set"
            + " TMPDIR to another folder")
      }
      folder.deleteLastPathComponent()
    }
  }
}
