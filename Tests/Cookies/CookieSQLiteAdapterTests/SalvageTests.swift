import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests the repair of files with damaged pages; ``HostileRowTests`` has those with damaged rows.
@Suite struct SalvageTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let pageSize = 4096

  /// The most rows that a page of ``TemporaryDirectory/makeStore(of:now:)`` has.
  private static let rowsPerPage = 34

  private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: directory.file())) }

  private func write(_ data: Data) throws { try data.write(to: URL(filePath: directory.file())) }

  private func cookies() throws -> [Cookie] { try SQLiteCookieStore(path: directory.file()).all() }

  /// Salvages a damaged file and checks that what it keeps was there before and can be used.
  private func salvage(
    of before: [Cookie], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CookieSalvage {
    let salvage = try SQLiteCookieStore.salvage(path: directory.file())
    #expect(Set(salvage.kept).isSubset(of: before), sourceLocation: sourceLocation)
    #expect(try cookies() == salvage.kept, sourceLocation: sourceLocation)
    let connection = try Connection(path: directory.file(), busyTimeout: .zero)
    #expect(
      try connection.rows("PRAGMA integrity_check") { $0.displayText(0) } == ["ok"],
      sourceLocation: sourceLocation)
    #expect(try connection.rows("PRAGMA journal_mode") { $0.displayText(0) } == ["wal"])
    return salvage
  }

  @Test func `a sound file is unchanged`() throws {
    try directory.makeStore()
    let cookies = try cookies()
    let before = try directory.contents()
    let salvage = try SQLiteCookieStore.salvage(path: directory.file())
    #expect(salvage == CookieSalvage(kept: cookies, dropped: [], missing: 0, isSound: true))
    #expect(try directory.contents() == before)
  }

  @Test(arguments: [0, 2000])
  func `a damaged page loses only the cookies on it`(offset: Int) throws {
    try directory.makeStore(of: 400)
    let before = try cookies()
    let valid = try bytes()
    for page in 0..<valid.count / Self.pageSize {
      var data = valid
      let start = page * Self.pageSize + (page == 0 ? 100 : 0) + offset
      data.replaceSubrange(start..<start + 64, with: Data(repeating: 0xff, count: 64))
      try write(data)
      let salvage = try salvage(of: before)
      if let missing = salvage.missing {
        #expect(salvage.kept.count + salvage.dropped.count + missing == before.count)
      }
      #expect(salvage.kept.count >= before.count - Self.rowsPerPage)
    }
  }

  @Test func `several damaged pages lose only the cookies on them`() throws {
    try directory.makeStore(of: 3000)
    let before = try cookies()
    let valid = try bytes()
    for _ in 0..<4 {
      var data = valid
      for page in (1..<valid.count / Self.pageSize).shuffled().prefix(8) {
        data.replaceSubrange(
          page * Self.pageSize..<page * Self.pageSize + 64, with: Data(repeating: 0xff, count: 64))
      }
      try write(data)
      let kept = try salvage(of: before).kept.count
      #expect(kept >= before.count - 8 * Self.rowsPerPage)
    }
  }

  @Test(arguments: [4095, 4096, 4097, 8192, 12_288, 20_000, 40_000])
  func `a truncated file becomes a store again`(length: Int) throws {
    try directory.makeStore()
    let before = try cookies()
    try write(try bytes().prefix(length))
    #expect(try !salvage(of: before).isSound)
  }

  @Test func `a file with random damage after its header becomes a store again`() throws {
    try directory.makeStore()
    let valid = try bytes()
    var repaired = 0
    for round in 0..<60 {
      var data = valid
      for _ in 0...Int.random(in: 0..<(round % 40 + 1)) {
        data[Int.random(in: 100..<data.count)] = UInt8.random(in: 0...255)
      }
      try write(data)
      let salvage = try SQLiteCookieStore.salvage(path: directory.file())
      repaired += salvage.isSound ? 0 : 1
      #expect(failureKind { try exercise(directory.file()) } == nil, "\(salvage)")
    }
    #expect(repaired > 10)
  }

  @Test(arguments: [
    "DROP INDEX cookie_secure", "DROP TABLE tally", "CREATE TABLE note (text)",
    "ALTER TABLE cookie ADD COLUMN extra", "PRAGMA user_version = 0", "DELETE FROM tally",
    "UPDATE tally SET cookies = 7", "CREATE VIEW v AS SELECT 1",
    "CREATE TRIGGER greedy AFTER INSERT ON cookie BEGIN DELETE FROM cookie; END",
  ])
  func `a file whose schema or tally is damaged keeps its cookies`(sql: String) throws {
    try directory.makeStore()
    let before = try cookies()
    try directory.execute(sql)
    let salvage = try salvage(of: before)
    #expect(salvage.kept == before && salvage.missing == 0)
  }

  @Test(arguments: [
    "CREATE TABLE note (text)", "PRAGMA application_id = 1131376491; PRAGMA user_version = 2",
  ])
  func `another program's or a newer file is refused and unchanged`(sql: String) throws {
    try directory.execute(sql)
    let before = try directory.contents()
    let kind = failureKind { try SQLiteCookieStore.salvage(path: directory.file()) }
    #expect(kind == (sql.hasPrefix("CREATE") ? .notACookieStore : .newerVersion))
    #expect(try directory.contents() == before)
  }

  @Test func `a file that is no database is refused and unchanged`() throws {
    try write(Data(repeating: 0x78, count: 5000))
    #expect(
      failureKind { try SQLiteCookieStore.salvage(path: directory.file()) } == .notACookieStore)
    #expect(try bytes() == Data(repeating: 0x78, count: 5000))
  }

  @Test func `open handles see the salvaged cookies and go on writing`() throws {
    try directory.makeStore(of: 40)
    let store = try SQLiteCookieStore(path: directory.file())
    try store.store("before=1", from: .to())
    try directory.execute("UPDATE cookie SET expires = 'soon' WHERE name = 'name3'")
    #expect(failureKind { _ = try store.all() } == .corrupt)
    #expect(try SQLiteCookieStore.salvage(path: directory.file()).kept.count == 40)
    #expect(try store.all().count == 40)
    try store.store("after=1", from: .to())
    #expect(try store.cookies(for: .to()).map(\.name) == ["before", "after"])
    store.close()
    #expect(try cookies().count == 41)
  }

  @Test func `a salvage waits for a writer no longer than the timeout`() throws {
    try directory.makeStore(of: 40)
    try directory.execute("UPDATE cookie SET expires = 'soon' WHERE name = 'name3'")
    let writer = try Connection(path: directory.file(), busyTimeout: .zero)
    try writer.execute("BEGIN IMMEDIATE")
    let time = ContinuousClock().measure {
      #expect(
        failureKind {
          try SQLiteCookieStore.salvage(path: directory.file(), busyTimeout: .milliseconds(60))
        } == .busy)
    }
    #expect(time >= .milliseconds(60) && time < .seconds(30))
    try writer.execute("COMMIT")
    #expect(try SQLiteCookieStore.salvage(path: directory.file()).kept.count == 39)
  }

  @Test func `clearing works although pages were damaged while the store was open`() throws {
    try directory.makeStore(of: 1000)
    let store = try SQLiteCookieStore(path: directory.file())
    let file = try FileHandle(forUpdating: URL(filePath: directory.file()))
    let length = try file.seekToEnd()
    // Page 3 is the tally's root. Another handle's write to it empties the store's page cache.
    for page in 1..<length / UInt64(Self.pageSize) where page != 3 {
      try file.seek(toOffset: page * UInt64(Self.pageSize))
      try file.write(contentsOf: Data(repeating: 0xff, count: 64))
    }
    try directory.execute("UPDATE tally SET last_sequence = last_sequence + 1")
    #expect(failureKind { _ = try store.all() } == .corrupt)
    try store.clear()
    #expect(try store.all().isEmpty)
    try store.store("new=1", from: .to())
    store.close()
    #expect(try cookies().map(\.name) == ["new"])
  }
}
