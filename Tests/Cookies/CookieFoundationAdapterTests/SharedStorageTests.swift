import CPlatform
import CookiePort
import CookieTestSupport
import Foundation
import Testing

/// The file handling of `HTTPCookieStorage.shared` in swift-corelibs-foundation, as observed in
/// Swift 6.3: reasons for an app to use another store.
///
/// A failing test means that Foundation has changed; then update the deviations that are declared
/// where the contract runs on it.
@Suite(.enabled(if: OperatingSystem.current == .linux)) struct SharedStorageTests {
  private let directory: TemporaryDirectory
  private let date = "; Expires=Wed, 01 Jan 2098 00:00:00 GMT"

  init() throws { directory = try TemporaryDirectory() }

  /// Returns the cookie files in a data directory.
  private func files(in data: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: data.path).filter {
      $0.contains(".cookies")
    }
  }

  /// Returns the stat(2) result of the only cookie file in a data directory.
  private func status(in data: URL) throws -> stat {
    let file = try #require(try files(in: data).first)
    var status = stat()
    try #require(stat(data.appending(path: file).path, &status) == 0)
    return status
  }

  @Test func `reading the file loses Secure, HttpOnly and the creation`() async throws {
    let first = try Keeper(data: directory.url)
    let stored = try await first.store("a=1; Secure; HttpOnly; Path=/docs" + date)
    let before = try #require(stored.first)
    #expect(before.isSecure && before.isHTTPOnly)
    try await first.end()
    let after = try #require(try await Keeper(data: directory.url).list().first)
    #expect(after.serialized == "a=1" && after.path == "/docs" && after.expires == before.expires)
    #expect(!after.isSecure)
    #expect(!after.isHTTPOnly)
    #expect(after.creation > before.creation)
  }

  @Test func `session cookies are never written`() async throws {
    let first = try Keeper(data: directory.url)
    try await first.store("a=1")
    #expect(try await first.store("b=1" + date).count == 2)
    try await first.end()
    #expect(try await Keeper(data: directory.url).list().map(\.name) == ["b"])
  }

  @Test func `everyone may read the file`() async throws {
    try await Keeper(data: directory.url).store("a=1; Secure; HttpOnly" + date)
    #expect(try status(in: directory.url).st_mode & 0o777 == 0o644)
  }

  @Test func `apps in directories of the same name share a file`() async throws {
    let data = directory.url.appending(path: "data")
    let one = try Keeper(data: data, from: directory.url.appending(path: "one/release"))
    try await one.store("a=1" + date)
    let other = try Keeper(data: data, from: directory.url.appending(path: "other/release"))
    #expect(try await other.list().map(\.name) == ["a"])
    #expect(try files(in: data) == ["release/.cookies.shared"])
    let third = try Keeper(data: data, from: directory.url.appending(path: "third/debug"))
    #expect(try await third.list().isEmpty, "only the directory's name distinguishes apps")
  }

  @Test func `two processes overwrite each other's cookies`() async throws {
    let one = try Keeper(data: directory.url)
    let other = try Keeper(data: directory.url)
    for keeper in [one, other] { #expect(try await keeper.list().isEmpty) }
    try await one.store("a=1" + date)
    #expect(
      try await other.store("b=1" + date).map(\.name) == ["b"], "it reads the file only once")
    try await one.end()
    try await other.end()
    #expect(try await Keeper(data: directory.url).list().map(\.name) == ["b"], "'a' is lost")
  }

  @Test func `each write replaces the whole file`() async throws {
    let keeper = try Keeper(data: directory.url)
    for number in 0..<20 { try await keeper.store("n\(number)=1" + date) }
    let full = try status(in: directory.url)
    try await keeper.store("n0=2" + date)
    let again = try status(in: directory.url)
    #expect(again.st_ino != full.st_ino, "the file is a new one")
    #expect(again.st_size == full.st_size, "with all 20 cookies in it")
  }
}
