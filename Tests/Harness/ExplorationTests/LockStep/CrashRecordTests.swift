import Foundation
import Testing

@testable import ExplorationEngine

@Suite struct CrashRecordTests {
  /// Calls a function with a new folder, and removes the folder.
  private func withParent(_ body: (URL) throws -> Void) throws {
    let parent = FileManager.default.temporaryDirectory.appending(
      path: "records-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    try body(parent)
  }

  @Test func `a new folder of records is the user's only`() throws {
    try withParent { parent in
      let folder = try #require(CrashRecord.folder(in: parent))
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions]
      #expect(mode as? Int == 0o700)
      #expect(CrashRecord.folder(in: parent) == folder, "it is used again")
    }
  }

  @Test(arguments: [0o777, 0o770, 0o702])
  func `a folder to which others may write is not used`(_ mode: Int) throws {
    try withParent { parent in
      let folder = try #require(CrashRecord.folder(in: parent))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
      #expect(CrashRecord.folder(in: parent) == nil)
    }
  }

  @Test func `a folder of another user, a link and a file are not used`() throws {
    try withParent { parent in
      #expect(CrashRecord.folder(in: parent, of: geteuid() + 1) == nil)
    }
    try withParent { parent in
      let target = parent.appending(path: "target")
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: parent.appending(path: "contract-exploration-\(geteuid())"), withDestinationURL: target)
      #expect(CrashRecord.folder(in: parent) == nil)
    }
    try withParent { parent in
      let file = parent.appending(path: "contract-exploration-\(geteuid())")
      try Data().write(to: file)
      #expect(CrashRecord.folder(in: parent) == nil)
    }
  }
}
