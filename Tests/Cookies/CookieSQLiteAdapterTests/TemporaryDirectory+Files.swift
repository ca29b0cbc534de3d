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

  /// The names of the directory's files that this process has open, and `.` for the directory.
  func openFiles() throws -> [String] {
    func identity(_ status: stat) -> [UInt64] {
      [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)]
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { name in
      var status = stat()
      return Int32(name).flatMap { fstat($0, &status) == 0 ? identity(status) : nil }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path) + ["."]
    return names.filter { name in
      var status = stat()
      return stat(file(name), &status) == 0 && open.contains(identity(status))
    }
  }
}
