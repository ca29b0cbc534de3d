import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests a file whose writing processes are killed at any moment or write concurrently.
///
/// By default the tests are short. For longer ones, set the number of kills and of writes per
/// process: `CONTRACT_SOAK_COOKIE_KILLS=1000 CONTRACT_SOAK_COOKIE_WRITES=10000 swift test --filter
/// KillTests`.
@Suite(.serialized) struct KillTests {
  static let kills = environment("CONTRACT_SOAK_COOKIE_KILLS") ?? 25
  static let writes = environment("CONTRACT_SOAK_COOKIE_WRITES") ?? 500

  @Test func `every acknowledged cookie survives SIGKILL`() async throws {
    var acknowledged = 0
    var killedBeforeWrite = 0
    var remaining = Self.kills
    // A new file every 10 kills, so that some kills hit its creation.
    while remaining > 0 {
      let directory = try TemporaryDirectory()
      var expected: [String: Int] = [:]
      for round in 0..<min(10, remaining) {
        let writer = try Writer(directory.file(), prefix: "r\(round)-", count: 1_000_000)
        // The first one of a file may be killed while it creates it, and the others while they write.
        let isWriting = round > 0
        if isWriting {
          #expect(await writer.first() == "0\n")
          expected["r\(round)-0"] = 0
        }
        try await Task.sleep(for: .microseconds(.random(in: 0...50_000)))
        writer.kill()
        let lines = await writer.lines()
        killedBeforeWrite += lines.isEmpty && !isWriting ? 1 : 0
        for line in lines { expected["r\(round)-\(line)"] = Int(line) ?? -2 }

        let names = try Self.verifiedCookies(of: directory)
        for (name, number) in expected { try #require(names[name] == number, "lost \(name)") }
        acknowledged += lines.count + (isWriting ? 1 : 0)
        remaining -= 1
      }
    }
    print(
      "\(Self.kills) kills, \(killedBeforeWrite) before the first write; \(acknowledged) writes kept"
    )
    #expect(acknowledged > 0)
  }

  @Test func `four processes that write concurrently lose nothing`() async throws {
    let directory = try TemporaryDirectory()
    let writers = try (0..<4).map {
      try Writer(directory.file(), prefix: "w\($0)-", count: Self.writes)
    }
    for writer in writers {
      #expect(await writer.lines().count == Self.writes)
      #expect(writer.exitCode == 0)
    }
    let names = try Self.verifiedCookies(of: directory)
    #expect(names.count == 4 * Self.writes)
    for writer in 0..<4 {
      for number in 0..<Self.writes { try #require(names["w\(writer)-\(number)"] == number) }
    }
  }

  @Test func `four processes that flush each write at the same time all succeed`() async throws {
    let directory = try TemporaryDirectory()
    let count = Self.writes / 2
    let writers = try (0..<4).map {
      try Writer(directory.file(), prefix: "w\($0)-", count: count, mode: "flush")
    }
    for writer in writers {
      let lines = await writer.lines()
      #expect(lines.count == count, "\(lines.last ?? "")")
      #expect(writer.exitCode == 0)
    }
    #expect(try Self.verifiedCookies(of: directory).count == 4 * count)
  }

  @Test func `salvaging while four processes write loses none of their cookies`() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeStore(of: 40)
    // They write before the first salvage and until they are killed, so that each salvage is
    // concurrent however long it takes.
    let writers = try (0..<4).map {
      try Writer(directory.file(), prefix: "w\($0)-", count: 1_000_000, mode: "paced")
    }
    for writer in writers { #expect(await writer.first() == "0\n") }
    let dropped = 0..<30
    for number in dropped {
      try directory.execute(
        "PRAGMA busy_timeout = 60000; UPDATE cookie SET same_site = 9 WHERE name = 'name\(number)'")
      let salvage = try SQLiteCookieStore.salvage(path: directory.file(), busyTimeout: .seconds(60))
      #expect(salvage.dropped.map(\.name) == ["name\(number)"])
      #expect(salvage.missing == 0)
      for writer in writers { #expect(writer.isRunning) }
    }
    for writer in writers { writer.kill() }
    // Reading the lines waits for the exit.
    var lines: [[Substring]] = []
    for writer in writers { lines.append(await writer.lines()) }
    let names = Set(try Self.verifiedCookies(of: directory).keys)
    for (number, lines) in lines.enumerated() {
      let acknowledged = Set((["0"] + lines).map { "w\(number)-\($0)" })
      let stored = names.filter { $0.hasPrefix("w\(number)-") }
      #expect(acknowledged.isSubset(of: stored))
      // At most the cookie that the writer was about to acknowledge.
      #expect(stored.count <= acknowledged.count + 1)
    }
    #expect(names.filter { $0.hasPrefix("name") }.count == 40 - dropped.count)
  }

  @Test func `a process killed while it salvages leaves the damaged file or the repaired one`()
    async throws
  {
    var (copied, repaired) = (0, 0)
    for round in 0..<Self.kills {
      let directory = try TemporaryDirectory()
      try directory.makeStore(of: 500)
      try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name3'")
      let damaged = FileManager.default.contents(atPath: directory.file())
      let writer = try Writer(directory.file(), prefix: "", count: 0, mode: "salvage")
      // On an idle machine a quarter of the kills comes before the copy, and half after the repair.
      try await Task.sleep(for: .microseconds(15_000 + 3_000 * (round % 25)))
      writer.kill()
      _ = await writer.lines()
      let copy = FileManager.default.contents(atPath: directory.file("cookies.db.damaged-1"))
      #expect(copy == nil || copy == Data() || copy == damaged)
      let salvage = try SQLiteCookieStore.salvage(path: directory.file())
      #expect(salvage.kept.count == 499)
      copied += copy?.isEmpty == false ? 1 : 0
      repaired += salvage.isSound ? 1 : 0
      if salvage.isSound { #expect(copy == damaged) }
      #expect(try directory.cookies().count == 499)
    }
    print("\(Self.kills) kills: \(copied) after the copy, \(repaired) of them after the repair")
  }

  @Test func `four processes share one limit`() async throws {
    let directory = try TemporaryDirectory()
    let writers = try (0..<4).map {
      try Writer(directory.file(), prefix: "w\($0)-", count: 100, perDomain: 50)
    }
    for writer in writers { #expect(await writer.lines().count == 100) }
    #expect(try Self.verifiedCookies(of: directory).count == 50)
  }

  @Test func `creation and sequence keep the order of writes across processes`() async throws {
    let directory = try TemporaryDirectory()
    let writers = try (0..<4).map { try Writer(directory.file(), prefix: "w\($0)-", count: 50) }
    for writer in writers { #expect(await writer.lines().count == 50) }
    let store = try SQLiteCookieStore(path: directory.file())
    let cookies = try store.all()
    for writer in 0..<4 {
      let own = cookies.map(\.name).filter { $0.hasPrefix("w\(writer)-") }
      #expect(own == (0..<50).map { "w\(writer)-\($0)" })
    }
    #expect(Set(cookies.map(\.creation)).count > 1)
  }

  /// Checks a file's integrity and returns the number in each cookie's value by its name.
  private static func verifiedCookies(of directory: TemporaryDirectory) throws -> [String: Int] {
    let store = try SQLiteCookieStore(
      path: directory.file(), policy: CookiePolicy(limits: .init(perDomain: .max, total: .max)))
    let cookies = try store.all()
    let connection = try Connection(path: directory.file(), busyTimeout: .seconds(5))
    #expect(try connection.rows("PRAGMA integrity_check") { $0.displayText(0) } == ["ok"])
    #expect(try connection.integer("SELECT cookies FROM tally") == Int64(cookies.count))
    return Dictionary(
      uniqueKeysWithValues: cookies.map { ($0.name, Int($0.value.prefix { $0 != "." }) ?? -1) })
  }

  private static func environment(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init)
  }
}
