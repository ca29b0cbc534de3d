import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests storage that refuses writes: no permission, or a full disk. No acknowledged write is lost.
@Suite struct MediumTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Runs a writer and returns its last line, as an unprivileged user if `asNobody` is true.
  private func failure(
    count: Int = 1, fileSize: Int = 0, asNobody: Bool = false, mode: String? = nil
  ) async throws -> String {
    let writer = try Writer(
      directory.file(), prefix: "new", count: count, fileSize: fileSize,
      user: asNobody && getuid() == 0 ? 65534 : nil, mode: mode)
    return await writer.lines().last.map(String.init) ?? ""
  }

  @Test func `a read-only file is not permitted and unchanged`() async throws {
    try directory.makeStore()
    let before = try directory.contents()
    #expect(chmod(directory.file(), 0o444) == 0 && chmod(directory.path, 0o777) == 0)
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
    #expect(try directory.contents() == before)
  }

  @Test func `a read-only directory is not permitted, says why, and is unchanged`() async throws {
    #expect(chmod(directory.path, 0o555) == 0)
    defer { chmod(directory.path, 0o700) }
    let message = try await failure(asNobody: true)
    #expect(message.hasPrefix("failed: notPermitted") && message.contains("Permission denied"))
    #expect(try directory.contents().isEmpty)
  }

  @Test func `a store in a read-only directory is not permitted`() async throws {
    try directory.makeStore()
    let before = try directory.contents()
    #expect(chmod(directory.file(), 0o666) == 0 && chmod(directory.path, 0o555) == 0)
    defer { chmod(directory.path, 0o700) }
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
    #expect(try directory.contents() == before)
  }

  @Test(.enabled(if: getuid() == 0, "only root can make a file of another user"))
  func `a store that others may read, and that belongs to another user, is not permitted`()
    async throws
  {
    try directory.makeStore()
    #expect(chmod(directory.file(), 0o666) == 0 && chmod(directory.path, 0o777) == 0)
    defer { chmod(directory.path, 0o700) }
    let message = try await failure(asNobody: true)
    #expect(
      message.hasPrefix("failed: notPermitted")
        && message.contains(
          "other users may read it, and its mode can't be changed: Operation not permitted")
    )
  }

  @Test(.enabled(if: getuid() == 0, "only root can make a file of another user"))
  func `a log that others may read, and that belongs to another user, is named`() async throws {
    let writer = try Writer(directory.file(), prefix: "old", count: 1_000_000)
    _ = await writer.first()
    writer.kill()
    _ = await writer.lines()
    for name in ["", "-shm"] { #expect(chown(directory.file() + name, 65534, 65534) == 0) }
    #expect(chmod(directory.file() + "-wal", 0o666) == 0 && chmod(directory.path, 0o777) == 0)
    defer { chmod(directory.path, 0o700) }
    let message = try await failure(asNobody: true)
    #expect(
      message.hasPrefix("failed: notPermitted")
        && message.contains("\(directory.file())-wal: ")
        && message.contains("other users may read it"), "\(message)")
  }

  @Test func `an unreadable file is not permitted`() async throws {
    try directory.makeStore()
    #expect(chmod(directory.file(), 0) == 0 && chmod(directory.path, 0o777) == 0)
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
  }

  @Test func `a full disk fails the write and keeps the acknowledged ones`() async throws {
    try directory.makeStore(of: 20)
    let writer = try Writer(directory.file(), prefix: "new", count: 1000, fileSize: 100_000)
    let lines = await writer.lines()
    #expect(lines.last?.hasPrefix("failed: full") == true, "\(lines)")
    #expect(lines.count > 5)
    let store = try SQLiteCookieStore(path: directory.file())
    #expect(try store.all().count == 20 + lines.count - 1)
  }

  @Test func `a salvage on a full disk fails, and leaves the file as it was and no copy`()
    async throws
  {
    try directory.makeStore(of: 500)
    try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name3'")
    let before = try directory.contents()
    #expect(try await failure(fileSize: 50_000, mode: "salvage").hasPrefix("failed: full"))
    #expect(try directory.contents() == before)
    // Not even an empty log of the copy.
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(!names.contains { $0.contains("damaged") }, "\(names)")
  }

  @Test func `a store on a full disk is unchanged`() async throws {
    try directory.makeStore()
    let before = try directory.contents()
    #expect(try await failure(fileSize: 3000).hasPrefix("failed: full"))
    #expect(try directory.contents() == before)
  }

  @Test(arguments: [1, 3000, 5000, 20_000, 33_000])
  func `a disk that is full during creation leaves no partial store`(size: Int) async throws {
    #expect(try await failure(count: 100, fileSize: size).hasPrefix("failed: full"))
    let store = try SQLiteCookieStore(path: directory.file())
    #expect(try store.all().isEmpty == (size < 33_000))
    try store.store("a=1", from: .to())
  }
}
