package import Foundation

/// A temporary directory, removed when the object is released.
package final class TemporaryDirectory: Sendable {
  /// The absolute path, without a trailing slash.
  package let path: String

  /// The URL of the directory.
  package var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

  /// Creates an empty directory.
  package init() throws {
    path = FileManager.default.temporaryDirectory
      .appending(path: "cookies-\(UUID().uuidString)").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
