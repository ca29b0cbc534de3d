import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests the file of a store before SQLite opens it.
@Suite struct StoreFileTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a file is created once`() throws {
    let path = directory.file()
    #expect(try StoreFile.prepare(path) == path)
    #expect(directory.mode() == 0o600)
    try directory.makeStore(of: 1)
    #expect(try StoreFile.prepare(path) == path)
    #expect(try StoreFile.existing(path) == path)
  }

  @Test func `a written file is private, and replaces none`() throws {
    let path = directory.file()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    try StoreFile.write(bytes, to: path)
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == bytes)
    #expect(directory.mode() == 0o600)
    try directory.expectFailure(.other, of: path, at: path) {
      try StoreFile.write([1], to: path)
    }
    try StoreFile.write([1], to: directory.file("one"))
    #expect(try Data(contentsOf: URL(filePath: directory.file("one"))) == Data([1]))
    let missing = storageFailure {
      try StoreFile.write([1], to: directory.file("none/cookies.db"))
    }
    #expect(missing?.kind == .missingDirectory)
  }

  @Test func `each file of a store becomes private, whatever the last system error was`() throws {
    let paths = ["", "-wal", "-shm"].map { directory.file() + $0 }
    for path in paths {
      try Data().write(to: URL(filePath: path))
      #expect(chmod(path, 0o644) == 0)
    }
    errno = 0
    try StoreFile.makePrivate(directory.file())
    for path in paths {
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `a log is the file that SQLite names so`() throws {
    let path = directory.file()
    #expect(!StoreFile.hasLog(path))
    try Data([1]).write(to: URL(filePath: path))
    #expect(!StoreFile.hasLog(path))
    try Data([1]).write(to: URL(filePath: path + "-wal"))
    #expect(StoreFile.hasLog(path))
  }

  @Test func `a directory is synchronized whatever its name, and the error says which can't be`()
    throws
  {
    let folder = directory.file("a b%20ü")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try StoreFile.synchronizeDirectory(of: folder + "/cookies.db")
    try Data().write(to: URL(filePath: directory.file("plain")))
    for (name, reason) in [("none", "No such file or directory"), ("plain", "Not a directory")] {
      let folder = directory.file(name)
      let found = storageFailure {
        try StoreFile.synchronizeDirectory(of: folder + "/cookies.db")
      }
      #expect(found?.kind == .other)
      #expect(found?.subject.hasPrefix(folder) == true)
      #expect(found?.detail == "the directory can't be synchronized: \(reason)")
    }
  }
}
