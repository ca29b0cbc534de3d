import CookieTestSupport
import Foundation

extension TemporaryDirectory {
  /// Returns the path of a file in the directory.
  func file(_ name: String = "cookies.db") -> String { path + "/" + name }

  /// Returns the contents of each file in the directory except SQLite's shared memory (`-shm`).
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path)
    where !name.hasSuffix("-shm") {
      let type = try FileManager.default.attributesOfItem(atPath: file(name))[.type]
      let isFile = type as? FileAttributeType == .typeRegular
      let data = isFile ? try Data(contentsOf: URL(fileURLWithPath: file(name))) : Data()
      // A process that exits without closing may leave an empty log, which is equivalent to none.
      if name.hasSuffix("-wal"), data.isEmpty { continue }
      contents[name] = data
    }
    return contents
  }

  /// Returns the files that this process has open in the directory, and the directory itself.
  func openFiles() throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      // Another thread may have closed the descriptor.
      try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }.filter { $0.hasPrefix(path) }.sorted()
  }
}
