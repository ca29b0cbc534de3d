import FilesPort
import Foundation
import SystemPlatform

/// Files as a user has them for whom permissions hold, in tests that run as root.
///
/// Each call changes the user of its thread, for files only, and changes it back.
///
/// Source: setfsuid(2).
struct OrdinaryUserFiles: Files {
  /// nobody.
  static let user: uid_t = 65534

  private typealias SetUser = @convention(c) (uid_t) -> Int32
  private static let setUser = symbolAddress(of: "setfsuid").map {
    unsafeBitCast($0, to: SetUser.self)
  }

  private let files: any Files

  init(_ files: any Files) {
    self.files = files
    // What the first call opens for the whole process, as the switches of mutants, is opened by the process's user.
    _ = try? files.kind(of: ".", followingLinks: true)
  }

  private func asUser<Value>(
    _ body: @autoclosure () throws(FilesError) -> Value
  ) throws(FilesError) -> Value {
    _ = Self.setUser?(Self.user)
    defer { _ = Self.setUser?(0) }
    return try body()
  }

  func kind(of path: String, followingLinks: Bool) throws(FilesError) -> FileKind {
    try asUser(try files.kind(of: path, followingLinks: followingLinks))
  }
  func read(_ path: String) throws(FilesError) -> [UInt8] { try asUser(try files.read(path)) }
  func write(_ bytes: [UInt8], to path: String, _ mode: WriteMode) throws(FilesError) {
    try asUser(try files.write(bytes, to: path, mode))
  }
  func createDirectory(_ path: String, withParents: Bool) throws(FilesError) {
    try asUser(try files.createDirectory(path, withParents: withParents))
  }
  func list(_ path: String) throws(FilesError) -> [String] { try asUser(try files.list(path)) }
  func copy(_ source: String, to destination: String) throws(FilesError) {
    try asUser(try files.copy(source, to: destination))
  }
  func move(_ source: String, to destination: String) throws(FilesError) {
    try asUser(try files.move(source, to: destination))
  }
  func remove(_ path: String) throws(FilesError) { try asUser(try files.remove(path)) }
  func removeTree(_ path: String) throws(FilesError) { try asUser(try files.removeTree(path)) }
  func createLink(_ path: String, to target: String) throws(FilesError) {
    try asUser(try files.createLink(path, to: target))
  }
  func target(ofLink path: String) throws(FilesError) -> String {
    try asUser(try files.target(ofLink: path))
  }
  func permissions(of path: String) throws(FilesError) -> Permissions {
    try asUser(try files.permissions(of: path))
  }
  func setPermissions(_ permissions: Permissions, of path: String) throws(FilesError) {
    try asUser(try files.setPermissions(permissions, of: path))
  }
  func modificationTime(of path: String) throws(FilesError) -> FileTime {
    try asUser(try files.modificationTime(of: path))
  }
  func setModificationTime(_ time: FileTime, of path: String) throws(FilesError) {
    try asUser(try files.setModificationTime(time, of: path))
  }
  func createTemporaryDirectory(in directory: String, prefix: String) throws(FilesError) -> String {
    try asUser(try files.createTemporaryDirectory(in: directory, prefix: prefix))
  }
}
