public import Foundation
import SystemPlatform

/// Where a server listens, and the folder that it may write to.
public struct ServerPlace: Sendable {
  /// The address, 127.0.0.1.
  public let host = "127.0.0.1"

  /// A port that no socket used when the place was made.
  public let port: UInt16

  /// An empty folder, the server's working directory.
  public let folder: URL

  /// The folder of everything that belongs to the server.
  let root: URL

  /// The file with the server's output.
  var logFile: URL { root.appendingPathComponent("output.log") }

  /// Makes a folder and finds a port.
  init() throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("contract-server-\(UUID().uuidString)", isDirectory: true)
    folder = root.appendingPathComponent("data", isDirectory: true)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      port = try LoopbackSocket.freePort()
    } catch {
      try? FileManager.default.removeItem(at: root)
      throw error
    }
  }

  func remove() { try? FileManager.default.removeItem(at: root) }
}
