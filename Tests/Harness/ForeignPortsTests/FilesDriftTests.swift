import ContractTesting
import DriftExploration
import Foundation
import Testing

extension Implementation<any Files> {
  static let disk = live("disk") { scope in
    var folder = try scope.temporaryDirectory()
    for name in FileTree.above { folder.append(path: name) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return DiskFiles(root: folder.path)
  }

  static func memory(_ flaw: FileTree.Flaw? = nil) -> Self {
    fake("memory") { MemoryFiles(flaw) }
  }
}

@OperationBuilder<any Files> private var operations: [AnyOperation<any Files>] {
  Operation("write", .bytes, .paths) { files, bytes, path in try files.write(bytes, to: path) }
  Operation("read", .paths) { files, path in try files.read(path) }
  Operation("makeFolder", .paths) { files, path in try files.makeFolder(path) }
  Operation("link", .paths, .paths) { files, path, target in try files.link(path, to: target) }
  Operation("target", .paths) { files, path in try files.target(path) }
  Operation("remove", .paths) { files, path in try files.remove(path) }
  Operation("move", .paths, .paths) { files, from, to in try files.move(from, to: to) }
  Operation("copy", .paths, .paths) { files, from, to in try files.copy(from, to: to) }
  Operation("list", .paths) { files, path in try files.list(path) }
  Operation("setReadOnly", .booleans, .paths) { files, isReadOnly, path in
    try files.setReadOnly(isReadOnly, at: path)
  }
  Operation("isReadOnly", .paths) { files, path in try files.isReadOnly(path) }
}

@Suite struct FilesDriftTests {
  @Test func theFakeBehavesLikeTheDisk() async throws {
    try await exploreDrift(of: .memory(), from: .disk, settings: .foreign) { return operations }
  }

  @Test(arguments: FileTree.Flaw.sought)
  func flawsAreFound(_ flaw: FileTree.Flaw) async throws {
    try await expectFinding(
      of: flaw, in: .memory(flaw), from: .disk, operations, within: .seconds(20))
  }
}
