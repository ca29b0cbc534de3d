public import Foundation
import SystemProcesses

/// Where a server listens, and the folder that it may write to.
public struct ServerPlace: Sendable {
  /// The address, 127.0.0.1.
  public let host = "127.0.0.1"

  /// A port that no socket used when the place was made, and that no other place has.
  public var port: UInt16 { claimedPort.number }

  /// An empty folder, the server's working directory.
  public let folder: URL

  /// The folder of everything that belongs to the server.
  let root: URL

  /// Removes the folder, and kills the server, if this process dies.
  let lifeline: Lifeline

  private let claimedPort: ClaimedPort

  /// The file with the server's output.
  var logFile: URL { root.appendingPathComponent("output.log") }

  /// Makes a folder and finds a port.
  init() throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("contract-server-\(UUID().uuidString)", isDirectory: true)
    folder = root.appendingPathComponent("data", isDirectory: true)
    lifeline = try Lifeline(removing: root.path)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      claimedPort = try ClaimedPort()
    } catch {
      try? FileManager.default.removeItem(at: root)
      lifeline.dismiss()
      throw error
    }
  }

  func remove() {
    try? FileManager.default.removeItem(at: root)
    lifeline.dismiss()
  }
}
