import ContractTesting
import FilesContract
import FilesDiskAdapter
import FilesFoundationAdapter
import FilesPort
import Foundation
import SystemPlatform
import Testing

@Suite struct FilesContractTests {
  @Test(
    arguments: Contract.files.cases(for: .inMemory, .folded, .disk, .superuser, .foundation)
      + Contract.files.saboteurCases)
  func holds(_ contractCase: ContractCase<any Files>) async throws {
    try await contractCase.verify()
  }

  @Test(
    arguments: Contract.filesOnFullDisk.cases(for: .inMemory64K, .tmpfs)
      + Contract.filesOnFullDisk.saboteurCases)
  func holdsOnAFullDisk(_ contractCase: ContractCase<any Files>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<any Files> {
  static let inMemory: Self = fake("in-memory") { InMemoryFiles() }

  /// As most disks of Apple's systems. No disk here compares names so, so that nothing live stands beside it.
  static let folded: Self = fake("in-memory-folded") { InMemoryFiles(names: .folded) }
    .lacking(.caseSensitiveNames, because: "names are folded")
    .lacking(.exactNames, because: "names are folded")

  static let inMemory64K: Self = fake("in-memory") { InMemoryFiles(capacity: 64 << 10) }

  static let disk: Self = live("disk") { scope in
    try ordinaryUser(of: DiskFiles(root: root(in: scope)))
  }
  .version { _ in AdaptedVersion.kernel }

  static let superuser: Self = live("disk-as-superuser") { scope in
    try DiskFiles(root: root(in: scope))
  }
  .version { _ in AdaptedVersion.kernel }
  .lacking(.permissions, because: "the superuser may do everything")
  .available(when: "the tests run as root") { geteuid() == 0 }

  static let foundation = foundationDeviations.reduce(onFileManager) {
    $0.deviating(from: $1.clause, because: $1.reason, on: .linux)
  }

  private static let onFileManager: Self = live("foundation") { scope in
    try ordinaryUser(of: FoundationFiles(root: URL(filePath: root(in: scope))))
  }
  .version { _ in AdaptedVersion.foundation }
  .available(when: "every user may search the folders above the temporary one") {
    isSearchable(FileManager.default.temporaryDirectory.deletingLastPathComponent())
  }
  .deviating(
    from: "links-outside", kind: .unsupported, because: "links lead out of the root", on: .linux
  )
  .deviating(
    from: "appends-together", intermittently: true,
    because: "FileHandle writes where the end was before", on: .linux)

  private static let foundationDeviations: [(clause: String, reason: String)] = [
    ("long-names", "the names of the root count as part of a path"),
    ("parents-in-the-way", "a link in a circle counts as something that exists"),
    ("slash-at-the-end", "a URL loses the slash at its end"),
    ("writes-through-links", "an atomic write replaces a link"),
    ("atomic-leaves-nothing", "an atomic write gives the file other permissions"),
    ("permissions-kept", "an atomic write gives the file other permissions"),
    ("read-only-files", "an atomic write replaces a file that may not be written"),
    ("copies-over-nothing", "a copy goes through a link that leads nowhere"),
    ("copies-into-itself", "a directory is copied into itself, in part"),
    ("closed-paths", "the error of a missing or closed destination names the source"),
    ("copies-somewhere", "the error of a missing or closed destination names the source"),
    ("closed-trees", "a tree is removed in part"),
    ("unreadable-files", "a failed copy leaves a part"),
    ("thousand-levels", "deep trees are not copied"),
    ("move-stays", "a file does not move to its own path in another form"),
    ("unsearchable-directories", "a path that ends with .. is taken from its text"),
    ("times-back", "a Date has no nanoseconds"),
  ]

  static let tmpfs: Self = live("tmpfs") { scope in
    let root = try scope.temporaryDirectory().path
    try #require(SmallDisk.mount(at: root))
    // The disk stays until its last descriptor is closed. A process that is killed leaves no mount.
    defer { SmallDisk.unmount(root) }
    let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    scope.onTearDown { close(descriptor) }
    scope.witness("the disk's free blocks and nodes") {
      var room = statvfs()
      try #require(fstatvfs(descriptor, &room) == 0)
      return [room.f_bfree, room.f_ffree]
    }
    return try ordinaryUser(of: DiskFiles(root: root))
  }
  .version { _ in AdaptedVersion.kernel }
  .available(when: "the tests run as root and may mount a tmpfs") {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mount-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return SmallDisk.mount(at: folder.path) && SmallDisk.unmount(folder.path)
  }

  /// An empty folder, whose tree another program prints as a witness.
  private static func root(in scope: FixtureScope) throws -> String {
    let url = try scope.temporaryDirectory()
    let folder = url.path
    chmod(folder, 0o755)
    if geteuid() == 0 {
      chown(folder, OrdinaryUserFiles.user, OrdinaryUserFiles.user)
      // A path from the top leads through these folders, which may belong to root alone.
      let top = FileManager.default.temporaryDirectory.path
      var above = url.deletingLastPathComponent()
      while above.path.hasPrefix(top), above.path.count >= top.count {
        if !isSearchable(above) { chmod(above.path, 0o711) }
        above.deleteLastPathComponent()
      }
    }
    scope.witness(
      "the tree", printedBy: ["find", folder, "-printf", "%P %y %s %m %l %T@\n"])
    return folder
  }

  /// Whether every user may go through a folder and those above.
  private static func isSearchable(_ folder: URL) -> Bool {
    var attributes = stat()
    guard geteuid() == 0, folder.path != "/" else { return true }
    return stat(folder.path, &attributes) == 0 && attributes.st_mode & S_IXOTH != 0
      && isSearchable(folder.deletingLastPathComponent())
  }

  private static func ordinaryUser(of files: any Files) -> any Files {
    geteuid() == 0 ? OrdinaryUserFiles(files) : files
  }
}

/// A disk of 64 KiB in memory, on Linux.
///
/// Source: mount(2), umount2(2), tmpfs(5).
private enum SmallDisk {
  private typealias Mount =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UInt, UnsafePointer<CChar>
    ) -> Int32
  private typealias Unmount = @convention(c) (UnsafePointer<CChar>, Int32) -> Int32

  static func mount(at path: String) -> Bool {
    guard Platform.current == .linux, let address = symbolAddress(of: "mount") else { return false }
    let mount = unsafeBitCast(address, to: Mount.self)
    return mount("tmpfs", path, "tmpfs", 0, "size=64k,mode=0777") == 0
  }

  /// Takes the disk away when nobody uses it any more.
  @discardableResult
  static func unmount(_ path: String) -> Bool {
    guard let address = symbolAddress(of: "umount2") else { return false }
    let detach: Int32 = 2
    return unsafeBitCast(address, to: Unmount.self)(path, detach) == 0
  }
}
