import ContractTesting
import Foundation
import Testing

/// Tests of the folders that cases use, and of what is left of them after a kill.
@Suite struct LockedFolderTests {
  private let files = FileManager.default

  /// Calls a closure with an empty folder.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = files.temporaryDirectory.appendingPathComponent("parent-\(UUID().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    try body(folder)
  }

  @Test func `a folder is empty, private, and gone after its removal`() throws {
    try withFolder { parent in
      let folder = try LockedFolder(in: parent)
      #expect(try files.contentsOfDirectory(atPath: folder.url.path) == [])
      let attributes = try files.attributesOfItem(atPath: folder.url.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      try Data().write(to: folder.url.appendingPathComponent("file"))
      try folder.remove()
      #expect(try files.contentsOfDirectory(atPath: parent.path) == [])
    }
  }

  @Test func `what a killed process has left is removed, and what a living one uses stays`() throws
  {
    try withFolder { parent in
      // The lock of a folder does not outlive its process.
      let left = parent.appendingPathComponent("contract-case-\(UUID().uuidString)/in")
      try files.createDirectory(at: left, withIntermediateDirectories: true)
      let target = parent.appendingPathComponent("target")
      try files.createDirectory(at: target, withIntermediateDirectories: false)
      let link = parent.appendingPathComponent("contract-case-link")
      try files.createSymbolicLink(at: link, withDestinationURL: target)
      let used = try LockedFolder("s", in: parent)
      LockedFolder.removeLeftovers(in: parent)
      #expect(
        try Set(files.contentsOfDirectory(atPath: parent.path))
          == ["contract-case-link", "target", used.url.lastPathComponent])
      try used.remove()
    }
  }

  @Test func `what a killed test process has left is removed by the next one`() async throws {
    let folder = files.temporaryDirectory.appendingPathComponent("parent-\(UUID().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let killed = try await SpecimenRun("killedInPlace", environment: ["TMPDIR": folder.path])
    #expect(killed.status == -SIGKILL)
    // Cases run at the same time, and one that the kill met before its folder had its name leaves an empty one.
    func left() throws -> [String] {
      try files.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("contract-case") }
    }
    #expect(try !left().isEmpty)
    _ = try await SpecimenRun("leavingFolders", environment: ["TMPDIR": folder.path])
    #expect(try left() == [])
  }
}
