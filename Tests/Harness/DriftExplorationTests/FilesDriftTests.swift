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
    try await exploreDrift(of: .memory(), from: .disk) { operations }
  }

  @Test(
    arguments: [
      FileTree.Flaw.leavesChildren: 4...5, .removesFullFolders: 3...3, .makesParents: 1...1,
      .refusesToReplace: 3...3, .ignoresLinksInPaths: 2...2, .resolvesLinksFromRoot: 2...4,
      .refusesToStay: 2...2, .movesTargets: 2...4, .replacesFolders: 3...3,
      .refusesDanglingLinks: 2...2,
    ].sorted { $0.key.rawValue < $1.key.rawValue })
  func everyReportedFlawIsFoundWithFewCalls(
    _ flaw: FileTree.Flaw, _ counts: ClosedRange<Int>
  ) async throws {
    var results: [DriftResult] = []
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "drift-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = ExplorationSettings.drift(seed: 1)
    settings.time = .seconds(10)
    try await findDrift(
      of: [.memory(flaw)], from: .disk, settings: settings, limit: 4,
      filePath: folder.appending(path: "Tests.swift").path, operations
    ) { results.append($0) }
    let count = try #require(results.first?.findings.map(\.count).min())
    #expect(counts.contains(count))
  }
}
