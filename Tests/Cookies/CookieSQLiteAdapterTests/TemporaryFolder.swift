import Foundation

/// A folder of a test's own, removed with the object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory
      .appending(path: "cookies-\(UUID().uuidString)").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  func file(_ name: String = "cookies.db") -> String { path + "/" + name }

  /// What each file in the folder holds, SQLite's scratch memory (`-shm`) aside.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where !name.hasSuffix("-shm") {
      let data = try Data(contentsOf: URL(fileURLWithPath: file(name)))
      // A process that ends without closing leaves an empty log, which says nothing.
      if name.hasSuffix("-wal"), data.isEmpty { continue }
      contents[name] = data
    }
    return contents
  }
}
