import ContractTesting
import DriftExploration
import FilesContract
import FilesPort
import Foundation
import Testing

/// The fake beside the disk. `CONTRACT_SOAK_FILES_SECONDS` explores for longer.
@Suite struct FilesDriftTests {
  @Test func `the fake behaves like the disk`() async throws {
    let value = ProcessInfo.processInfo.environment["CONTRACT_SOAK_FILES_SECONDS"]
    let seconds = value.flatMap { Double($0) } ?? 4
    try await exploreDrift(
      of: .withUmask, from: .disk, settings: .drift(time: .seconds(seconds))
    ) { return operations }
  }
}

extension Implementation<any Files> {
  /// The fake with the umask of the process.
  static let withUmask: Self = fake("in-memory") {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("Umask:") }
    let mode = line.flatMap {
      UInt16($0.dropFirst(6).trimmingPrefix(while: \.isWhitespace), radix: 8)
    }
    return InMemoryFiles(umask: Permissions(mode: mode ?? 0o022))
  }
}

@OperationBuilder<any Files> private var operations: [AnyOperation<any Files>] {
  let modes = Domain<WriteMode>.of(.replacing, .appending, .creating, .atomically)
  let permissions = Domain<Permissions>.of(0o755, 0o644, 0o444, 0o555, 0o300, 0o600, 0o000, 0o777)
  let old = FileTime(seconds: 1_000_000_000, nanoseconds: 1)
  Operation("write", .bytes, .paths, modes) { files, bytes, path, mode in
    try files.write(bytes, to: path, mode)
  }
  Operation("read", .paths) { files, path in try files.read(path) }
  Operation("kind", .paths, .booleans) { files, path, follows in
    try files.kind(of: path, followingLinks: follows)
  }
  Operation("createDirectory", .paths, .booleans) { files, path, parents in
    try files.createDirectory(path, withParents: parents)
  }
  Operation("list", .paths) { files, path in try files.list(path) }
  Operation("copy", .paths, .paths) { files, from, to in try files.copy(from, to: to) }
  Operation("move", .paths, .paths) { files, from, to in try files.move(from, to: to) }
  Operation("remove", .paths) { files, path in try files.remove(path) }
  Operation("removeTree", .paths) { files, path in try files.removeTree(path) }
  Operation("createLink", .paths, .paths) { files, path, target in
    try files.createLink(path, to: target)
  }
  Operation("target", .paths) { files, path in try files.target(ofLink: path) }
  Operation("permissions", .paths) { files, path in try files.permissions(of: path) }
  Operation("setPermissions", permissions, .paths) { files, permissions, path in
    try files.setPermissions(permissions, of: path)
  }
  // Each side has its own clock: only whether the time is the one that was set can be compared.
  Operation("isOld", .paths) { files, path in try files.modificationTime(of: path) == old }
  Operation("makeOld", .paths) { files, path in try files.setModificationTime(old, of: path) }
}
