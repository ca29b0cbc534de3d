import CookiePort
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// What other processes may do to a file: be killed at any moment, and write at the same time.
///
/// The short forms run always. `CONTRACT_SOAK_COOKIE_KILLS` and `CONTRACT_SOAK_COOKIE_WRITES` ask for more:
/// `CONTRACT_SOAK_COOKIE_KILLS=1000 CONTRACT_SOAK_COOKIE_WRITES=10000 swift test --filter KillTests`.
@Suite(.serialized) struct KillTests {
  static let kills = environment("CONTRACT_SOAK_COOKIE_KILLS") ?? 25
  static let writes = environment("CONTRACT_SOAK_COOKIE_WRITES") ?? 500

  @Test func `every acknowledged cookie survives SIGKILL`() async throws {
    var acknowledged = 0
    var unborn = 0
    var remaining = Self.kills
    // A new file now and then, so that its making is hit as well.
    while remaining > 0 {
      let folder = try TemporaryFolder()
      var expected: [String: Int] = [:]
      for round in 0..<min(10, remaining) {
        let writer = try Writer(folder.file(), prefix: "r\(round)-", count: 1_000_000)
        let isMaking = round == 0
        try await Task.sleep(
          for: .microseconds(.random(in: isMaking ? 0...50_000 : 20_000...90_000)))
        writer.kill()
        let lines = await writer.lines()
        unborn += lines.isEmpty ? 1 : 0
        for line in lines { expected["r\(round)-\(line)"] = Int(line) ?? -2 }

        let names = try Self.verifiedCookies(of: folder)
        for (name, number) in expected { try #require(names[name] == number, "lost \(name)") }
        acknowledged += lines.count
        remaining -= 1
      }
    }
    print("\(Self.kills) kills, \(unborn) before a first write: \(acknowledged) writes, all there")
    #expect(acknowledged > 0)
  }

  @Test func `four processes writing at once lose nothing`() async throws {
    let folder = try TemporaryFolder()
    let writers = try (0..<4).map {
      try Writer(folder.file(), prefix: "w\($0)-", count: Self.writes)
    }
    for writer in writers {
      #expect(await writer.lines().count == Self.writes)
      #expect(writer.exitCode == 0)
    }
    let names = try Self.verifiedCookies(of: folder)
    #expect(names.count == 4 * Self.writes)
    for writer in 0..<4 {
      for number in 0..<Self.writes { try #require(names["w\(writer)-\(number)"] == number) }
    }
  }

  @Test func `four processes keep to a limit together`() async throws {
    let folder = try TemporaryFolder()
    let writers = try (0..<4).map {
      try Writer(folder.file(), prefix: "w\($0)-", count: 100, perDomain: 50)
    }
    for writer in writers { #expect(await writer.lines().count == 100) }
    #expect(try Self.verifiedCookies(of: folder).count == 50)
  }

  @Test func `creation and sequence keep the order of writes across processes`() async throws {
    let folder = try TemporaryFolder()
    let writers = try (0..<4).map { try Writer(folder.file(), prefix: "w\($0)-", count: 50) }
    for writer in writers { #expect(await writer.lines().count == 50) }
    let store = try SQLiteCookieStore(path: folder.file())
    let cookies = try store.all()
    for writer in 0..<4 {
      let own = cookies.map(\.name).filter { $0.hasPrefix("w\(writer)-") }
      #expect(own == (0..<50).map { "w\(writer)-\($0)" })
    }
    #expect(Set(cookies.map(\.creation)).count > 1)
  }

  /// The number in each cookie's value, by name, of a file that is sound.
  private static func verifiedCookies(of folder: TemporaryFolder) throws -> [String: Int] {
    let store = try SQLiteCookieStore(
      path: folder.file(), policy: CookiePolicy(limits: .init(perDomain: .max, total: .max)))
    let cookies = try store.all()
    let connection = try Connection(path: folder.file(), busyTimeout: .seconds(5))
    #expect(try connection.rows("PRAGMA integrity_check") { $0.words(0) } == ["ok"])
    #expect(try connection.integer("SELECT cookies FROM tally") == Int64(cookies.count))
    return Dictionary(
      uniqueKeysWithValues: cookies.map { ($0.name, Int($0.value.prefix { $0 != "." }) ?? -1) })
  }

  private static func environment(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init)
  }
}
