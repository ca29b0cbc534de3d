import CookiePort
import Foundation
import Testing

#if os(Linux)
  /// What `HTTPCookieStorage.shared` of swift-corelibs-foundation does with its file, as observed in
  /// Swift 6.3: why an app that keeps cookies may want another store.
  ///
  /// Who finds one of these failing has a better Foundation, and deviations to remove where the
  /// contract runs on it.
  @Suite struct SharedStorageTests {
    private let folder = TemporaryFolder()
    private let date = "; Expires=Wed, 01 Jan 2098 00:00:00 GMT"

    /// The files in a data folder.
    private func files(in data: URL) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: data.path).filter {
        $0.contains(".cookies")
      }
    }

    /// What stat(2) says of the only file in a data folder.
    private func status(in data: URL) throws -> stat {
      let file = try #require(try files(in: data).first)
      var status = stat()
      try #require(stat(data.appending(path: file).path, &status) == 0)
      return status
    }

    @Test func `reading the file loses Secure, HttpOnly and the creation`() async throws {
      let first = try Keeper(data: folder.url)
      let stored = try await first.store("a=1; Secure; HttpOnly; Path=/docs" + date)
      let before = try #require(stored.first)
      #expect(before.isSecure && before.isHTTPOnly)
      try await first.end()
      let after = try #require(try await Keeper(data: folder.url).list().first)
      #expect(after.serialized == "a=1" && after.path == "/docs" && after.expires == before.expires)
      #expect(!after.isSecure)
      #expect(!after.isHTTPOnly)
      #expect(after.creation > before.creation)
    }

    @Test func `session cookies are never written`() async throws {
      let first = try Keeper(data: folder.url)
      try await first.store("a=1")
      #expect(try await first.store("b=1" + date).count == 2)
      try await first.end()
      #expect(try await Keeper(data: folder.url).list().map(\.name) == ["b"])
    }

    @Test func `everybody may read the file`() async throws {
      try await Keeper(data: folder.url).store("a=1; Secure; HttpOnly" + date)
      #expect(try status(in: folder.url).st_mode & 0o777 == 0o644)
    }

    @Test func `apps in folders of one name share a file`() async throws {
      let data = folder.url.appending(path: "data")
      let one = try Keeper(data: data, from: folder.url.appending(path: "one/release"))
      try await one.store("a=1" + date)
      let other = try Keeper(data: data, from: folder.url.appending(path: "other/release"))
      #expect(try await other.list().map(\.name) == ["a"])
      #expect(try files(in: data) == ["release/.cookies.shared"])
      let third = try Keeper(data: data, from: folder.url.appending(path: "third/debug"))
      #expect(try await third.list().isEmpty, "only the folder's name tells apps apart")
    }

    @Test func `each of two processes writes over what the other wrote`() async throws {
      let one = try Keeper(data: folder.url)
      let other = try Keeper(data: folder.url)
      for keeper in [one, other] { #expect(try await keeper.list().isEmpty) }
      try await one.store("a=1" + date)
      #expect(try await other.store("b=1" + date).map(\.name) == ["b"], "it has read the file once")
      try await one.end()
      try await other.end()
      #expect(try await Keeper(data: folder.url).list().map(\.name) == ["b"], "'a' is lost")
    }

    @Test func `each write makes the whole file anew`() async throws {
      let keeper = try Keeper(data: folder.url)
      for number in 0..<20 { try await keeper.store("n\(number)=1" + date) }
      let full = try status(in: folder.url)
      try await keeper.store("n0=2" + date)
      let again = try status(in: folder.url)
      #expect(again.st_ino != full.st_ino, "the file is another")
      #expect(again.st_size == full.st_size, "with all 20 cookies in it")
    }
  }

  /// A folder of a test's own, removed with the object.
  final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "foundation-cookies-\(UUID().uuidString)", directoryHint: .isDirectory)

    deinit { try? FileManager.default.removeItem(at: url) }
  }
#endif
