import CookiePort
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Media that refuse a write: each fails with its kind, and loses nothing that was acknowledged.
@Suite struct MediumTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a writer as a user to whom permissions apply: root's are never checked.
  private func failure(count: Int = 1, fileSize: Int = 0, asNobody: Bool = false) async throws
    -> String
  {
    let writer = try Writer(
      folder.file(), prefix: "new", count: count, fileSize: fileSize,
      user: asNobody && getuid() == 0 ? 65534 : nil)
    return await writer.lines().last.map(String.init) ?? ""
  }

  @Test func `a file that may only be read is not permitted, and stays as it is`() async throws {
    try folder.makeStore()
    let before = try folder.contents()
    #expect(chmod(folder.file(), 0o444) == 0 && chmod(folder.path, 0o777) == 0)
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
    #expect(try folder.contents() == before)
  }

  @Test func `a folder that may only be read is not permitted, and stays as it is`() async throws {
    #expect(chmod(folder.path, 0o555) == 0)
    defer { chmod(folder.path, 0o700) }
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
    #expect(try folder.contents().isEmpty)
  }

  @Test func `a store in a folder that may only be read is not permitted`() async throws {
    try folder.makeStore()
    let before = try folder.contents()
    #expect(chmod(folder.file(), 0o666) == 0 && chmod(folder.path, 0o555) == 0)
    defer { chmod(folder.path, 0o700) }
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
    #expect(try folder.contents() == before)
  }

  @Test func `a file that may not be read is not permitted`() async throws {
    try folder.makeStore()
    #expect(chmod(folder.file(), 0) == 0 && chmod(folder.path, 0o777) == 0)
    #expect(try await failure(asNobody: true).hasPrefix("failed: notPermitted"))
  }

  @Test func `a full medium fails the write, and keeps what was acknowledged`() async throws {
    try folder.makeStore(of: 20)
    let writer = try Writer(folder.file(), prefix: "new", count: 1000, fileSize: 100_000)
    let lines = await writer.lines()
    #expect(lines.last?.hasPrefix("failed: full") == true, "\(lines)")
    #expect(lines.count > 5)
    let store = try SQLiteCookieStore(path: folder.file())
    #expect(try store.all().count == 20 + lines.count - 1)
  }

  @Test func `a store on a full medium stays as it is`() async throws {
    try folder.makeStore()
    let before = try folder.contents()
    #expect(try await failure(fileSize: 3000).hasPrefix("failed: full"))
    #expect(try folder.contents() == before)
  }

  @Test(arguments: [1, 3000, 5000, 20_000, 33_000])
  func `a medium that is full from the start gets no half a store`(size: Int) async throws {
    #expect(try await failure(count: 100, fileSize: size).hasPrefix("failed: full"))
    let store = try SQLiteCookieStore(path: folder.file())
    #expect(try store.all().isEmpty == (size < 33_000))
    try store.store("a=1", from: .to())
  }
}
