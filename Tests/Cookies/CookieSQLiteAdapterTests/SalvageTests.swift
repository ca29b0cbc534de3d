import CookiePort
import CookieTestSupport
import Foundation
import ManualClocks
import Testing

@testable import CookieSQLiteAdapter

/// Tests the repair of damaged files.
@Suite struct SalvageTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func salvage(waiting time: Duration = .seconds(5)) throws -> CookieSalvage {
    try SQLiteCookieStore.salvage(path: directory.file(), busyTimeout: time)
  }

  /// Salvages the file, and expects a copy of what it was and a store of the cookies kept.
  @discardableResult
  private func expect(
    kept: [Cookie], _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CookieSalvage {
    let before = try directory.contents()
    let salvage = try salvage()
    let what = Comment(rawValue: what)
    #expect(salvage.kept.map(\.name) == kept.map(\.name), what, sourceLocation: sourceLocation)
    #expect(salvage.kept == kept, what, sourceLocation: sourceLocation)
    #expect(
      salvage.damagedCopy == directory.file("cookies.db.damaged-1"), what,
      sourceLocation: sourceLocation)
    let after = try directory.contents()
    for suffix in ["", "-wal"] {
      #expect(
        after["cookies.db.damaged-1" + suffix] == before["cookies.db" + suffix], what,
        sourceLocation: sourceLocation)
    }
    #expect(try directory.cookies() == kept, what, sourceLocation: sourceLocation)
    #expect(
      try directory.execute("PRAGMA integrity_check; PRAGMA journal_mode") == ["ok", "wal"], what,
      sourceLocation: sourceLocation)
    return salvage
  }

  @Test func `a sound file is left as it is`() throws {
    let cookies = try directory.makeStore(of: 10)
    let before = try directory.contents()
    let salvage = try salvage()
    #expect(salvage.kept == cookies && salvage.missing == 0 && salvage.isSound)
    #expect("\(salvage)" == "the file is sound; it has 10 cookies")
    #expect(try directory.contents() == before)
  }

  @Test func `a damaged leaf page loses only the cookies on it`() throws {
    let cookies = try directory.makeStore(of: 60, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    try #require(bytes.leaves.count > 5)
    for (page, lost) in bytes.leaves {
      try bytes.overwriting(bytes.start(of: page)).write(directory)
      let kept = cookies.filter { !lost.contains(number(of: $0)) }
      let salvage = try expect(kept: kept, "page \(page)")
      #expect(salvage.missing == lost.count && salvage.dropped.isEmpty && !salvage.isSound)
      #expect(
        "\(salvage)" == "kept \(kept.count) cookies, dropped 0, could not read \(lost.count)\n"
          + "  the damaged file is \(directory.file("cookies.db.damaged-1"))")
    }
  }

  @Test func `of any damaged page the copy is whole, and nothing is kept that was not there`()
    throws
  {
    let cookies = try directory.makeStore(of: 60, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    for page in bytes.pages {
      try bytes.overwriting(bytes.start(of: page)).write(directory)
      let salvage = try salvage()
      #expect(Set(salvage.kept).isSubset(of: cookies), "page \(page)")
      #expect(try directory.cookies() == salvage.kept, "page \(page)")
      let copy = try #require(salvage.damagedCopy, "page \(page)")
      #expect(
        FileManager.default.contents(atPath: copy)
          == Data(bytes.overwriting(bytes.start(of: page)).bytes))
    }
    for length in [bytes.pageSize, 3 * bytes.pageSize + 1, 9 * bytes.pageSize] {
      try bytes.prefix(length).write(directory)
      let salvage = try salvage()
      #expect(Set(salvage.kept).isSubset(of: cookies), "\(length) bytes")
      let copy = try #require(salvage.damagedCopy, "\(length) bytes")
      #expect(FileManager.default.contents(atPath: copy)?.count == length)
    }
  }

  @Test func `a file of several megabytes is copied whole`() throws {
    try directory.makeStore(of: 60, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    let damaged = bytes.overwriting(bytes.start(of: try #require(bytes.leaves.keys.min()))).bytes
    let path = URL(filePath: directory.file())
    for size in [1 << 20, 5 << 19] {
      // SQLite ignores what follows the pages that the header counts.
      let filling = (damaged.count..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 8) }
      let file = Data(damaged + filling)
      try directory.removeFiles()
      try file.write(to: path)
      let copy = try #require(try salvage().damagedCopy, "\(size) bytes")
      #expect(FileManager.default.contents(atPath: copy) == file, "\(size) bytes")
    }
  }

  @Test(arguments: [(0, true), (1 << 52 - 1, true), (1 << 52, false), (1 << 53, false)])
  func `a salvaged cookie keeps its sequence number if that leaves room for more`(
    number: Int, isKept: Bool
  ) throws {
    try directory.makeStore(of: 6)
    try directory.execute(
      """
      UPDATE cookie SET sequence = \(number) WHERE name = 'name5';
      UPDATE cookie SET same_site = 9 WHERE name = 'name3'
      """)
    #expect(try salvage().kept.count == 5)
    let found = try directory.execute("SELECT sequence FROM cookie WHERE name = 'name5'")
    #expect(found == [isKept ? "\(number)" : "4"])
    let store = try directory.open()
    try store.store("new=1", from: .to())
    store.close()
    #expect(
      try directory.execute("SELECT name FROM cookie ORDER BY sequence DESC LIMIT 1") == ["new"])
  }

  @Test func `the number of cookies lost is unknown if the schema is`() throws {
    try directory.makeStore(of: 20)
    let bytes = try DatabaseBytes(directory)
    try bytes.overwriting(100).write(directory)
    #expect(try expect(kept: []).missing == nil)
  }

  @Test func `the copy has the log, a name of its own and is private`() throws {
    let cookies = try directory.makeStore(of: 20)
    for name in ["cookies.db.damaged-1", "cookies.db.damaged-2-wal"] {
      try Data(name.utf8).write(to: URL(filePath: directory.file(name)))
    }
    let link = directory.file("link.db")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: directory.file())
    // The log has the damaged row as long as the store is open.
    let store = try directory.open()
    try store.store("last=1", from: .to("z.example"))
    try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name3'")
    let salvage = try salvage()
    #expect(salvage.damagedCopy == directory.file("cookies.db.damaged-3"))
    #expect(salvage.kept.count == 20)
    try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name4'")
    let other = try SQLiteCookieStore.salvage(path: link)
    #expect(other.damagedCopy == link + ".damaged-1")
    store.close()
    for (copy, bad) in [("cookies.db.damaged-3", "name3"), ("link.db.damaged-1", "name4")] {
      for name in [copy, copy + "-wal"] { #expect(directory.mode(name) == 0o600, "\(name)") }
      #expect(
        try directory.execute("SELECT name FROM cookie WHERE same_site = 9", in: copy) == [bad])
      #expect(
        try directory.execute("SELECT name FROM cookie ORDER BY sequence DESC LIMIT 1", in: copy)
          == ["last"])
    }
    for name in ["cookies.db.damaged-1", "cookies.db.damaged-2-wal"] {
      #expect(FileManager.default.contents(atPath: directory.file(name)) == Data(name.utf8))
    }
    let lost = ["name3", "name4"]
    #expect(
      try directory.cookies().map(\.name)
        == cookies.map(\.name).filter { !lost.contains($0) } + ["last"])
  }

  @Test func `the copy takes the next number, but none that an interrupted copy has left`() throws {
    let cookies = try directory.makeStore(of: 60, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    let page = try #require(bytes.leaves.keys.min())
    try bytes.overwriting(bytes.start(of: page)).write(directory)
    let names = [1, 3].map { "cookies.db.damaged-\($0)" } + ["cookies.db.damaged-2-partial"]
    for name in names {
      try Data(name.utf8).write(to: URL(filePath: directory.file(name)))
    }
    let salvage = try salvage()
    #expect(salvage.damagedCopy == directory.file("cookies.db.damaged-4"))
    #expect(salvage.kept.count < cookies.count)
    for name in names {
      #expect(FileManager.default.contents(atPath: directory.file(name)) == Data(name.utf8))
    }
  }

  @Test func `salvaging leaves no file open`() throws {
    try directory.makeStore(of: 60, pageSize: 512)
    let bytes = try DatabaseBytes(directory)
    let page = try #require(bytes.leaves.keys.min())
    try bytes.overwriting(bytes.start(of: page)).write(directory)
    try directory.execute("SELECT 1")
    #expect(try salvage().damagedCopy != nil)
    #expect(try directory.openFiles() == [])
  }

  @Test func `a file without a log gets one, even if its schema can't be read`() throws {
    try directory.makeStore(of: 60, pageSize: 512)
    try directory.execute("PRAGMA journal_mode = DELETE")
    try DatabaseBytes(directory).overwriting(100).write(directory)
    #expect(try salvage().kept.isEmpty)
    #expect(try directory.execute("PRAGMA journal_mode") == ["wal"])
  }

  @Test func `a dropped row doesn't count as one that could not be read`() throws {
    try directory.makeStore(of: 60, pageSize: 512)
    try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name59'")
    let bytes = try DatabaseBytes(directory)
    let (page, lost) = try #require(bytes.leaves.first { !$0.value.contains(59) })
    try bytes.overwriting(bytes.start(of: page)).write(directory)
    let salvage = try salvage()
    #expect(salvage.dropped.count == 1 && salvage.missing == lost.count)
  }

  @Test func `a row that two pages lead to is dropped once`() throws {
    try directory.makeStore(of: 60, pageSize: 512)
    try directory.execute("UPDATE cookie SET same_site = 9")
    let bytes = try DatabaseBytes(directory)
    // Interior pages (2) have the offsets of their entries, which begin with the number of the page below.
    let entries = try #require(
      bytes.pages.lazy.filter { bytes.bytes[bytes.start(of: $0)] == 2 }.map { page in
        (0..<2).map {
          (page - 1) * bytes.pageSize
            + bytes.number(at: bytes.start(of: page) + 12 + 2 * $0, count: 2)
        }
      }.first { bytes.leaves[bytes.number(at: $0[0], count: 4)] != nil })
    let twice = Array(bytes.bytes[entries[0]..<entries[0] + 4])
    try bytes.overwriting(entries[1], with: twice).write(directory)
    let dropped = try salvage().dropped
    #expect(dropped.count > 1)
    #expect(Set(dropped).count == dropped.count, "\(dropped)")
  }

  @Test func `a copy that can't be written leaves the file as it is`() throws {
    try directory.makeStore(of: 20)
    let bytes = try DatabaseBytes(directory).overwriting(4096)
    try directory.removeFiles()
    // The name of the log is short enough, that of the copy is too long.
    let path = directory.file(String(repeating: "a", count: 247))
    try Data(bytes.bytes).write(to: URL(filePath: path))
    try directory.expectFailure(.other, at: path + ".damaged-1") {
      _ = try SQLiteCookieStore.salvage(path: path)
    }
  }

  @Test(arguments: [
    "DROP INDEX cookie_secure", "DROP TABLE tally", "CREATE TABLE note (text)",
    "ALTER TABLE cookie ADD COLUMN extra", "PRAGMA user_version = 0", "CREATE VIEW v AS SELECT 1",
    "CREATE TRIGGER greedy AFTER INSERT ON cookie BEGIN DELETE FROM cookie; END",
    "DELETE FROM tally", "UPDATE tally SET cookies = 7", "UPDATE tally SET cookies = 'many'",
    "UPDATE tally SET cookies = -1", "UPDATE tally SET last_sequence = -1",
    "UPDATE tally SET last_sequence = 9223372036854775807",
    // The greatest valid number, after which there is none.
    "UPDATE tally SET last_sequence = 9007199254740992",
    "UPDATE tally SET latest_creation = 'now'", "UPDATE tally SET latest_creation = 9e999",
    "UPDATE tally SET earliest_expiry = 'later'",
  ])
  func `damage outside the cookies' rows loses none`(sql: String) throws {
    let cookies = try directory.makeStore(of: 20)
    try directory.execute(sql)
    let salvage = try expect(kept: cookies)
    #expect(salvage.missing == 0 && salvage.dropped.isEmpty)
    #expect(
      try directory.execute("SELECT last_sequence >= (SELECT max(sequence) FROM cookie) FROM tally")
        == ["1"])
  }

  @Test func `too small a tally doesn't make the number of cookies lost negative`() throws {
    try directory.makeStore(of: 60, pageSize: 512)
    try directory.execute("UPDATE tally SET cookies = 1")
    let bytes = try DatabaseBytes(directory)
    let page = try #require(bytes.leaves.keys.max())
    try bytes.overwriting(bytes.start(of: page)).write(directory)
    #expect(try salvage().missing == 0)
  }

  @Test func `a row with a field that the store never writes is dropped and named`() throws {
    let fields = HostileRowTests.invalidFields
    try directory.makeStore(of: fields.count + 2)
    // The first and the last instant are valid.
    try directory.execute(
      """
      UPDATE cookie SET expires = 252423993599.0 WHERE name = 'name\(fields.count)';
      UPDATE cookie SET last_access = -63114076800.0 WHERE name = 'name\(fields.count + 1)'
      """)
    let cookies = try directory.cookies()
    try directory.executeAllowingNull(
      in: "cookie",
      fields.enumerated().map { index, field in
        "UPDATE cookie SET \(field[0]) = \(field[1]) WHERE name = 'name\(index)'"
      }.joined(separator: ";"))
    let salvage = try expect(kept: Array(cookies.dropFirst(fields.count)))
    #expect(salvage.missing == 0 && salvage.dropped.count == fields.count)
    for (index, field) in fields.enumerated() where field[0] != "name" {
      let dropped = try #require(salvage.dropped.first { $0.name == "name\(index)" }, "\(field)")
      #expect(dropped.problem == .column(field[0]), "\(field)")
      if field[0] != "domain" { #expect(dropped.domain == cookies[index].domain, "\(field)") }
      if field[0] != "path" { #expect(dropped.path == "/", "\(field)") }
    }
    #expect(
      salvage.dropped.count { $0.problem == .column("name") }
        == fields.count { $0[0] == "name" })
  }

  @Test func `the text of a dropped row has no control characters and at most 256 bytes`() throws {
    try directory.makeStore(of: 2)
    try directory.execute(
      """
      UPDATE cookie SET name = 'a' || char(27) || '[2J ~' || char(10) || char(31) || 'b' || char(127)
        WHERE name = 'name0';
      UPDATE cookie SET name = char(1) || hex(zeroblob(2000)) WHERE name = 'name1'
      """)
    let dropped = try salvage().dropped.sorted { $0.name.count < $1.name.count }
    #expect(dropped.first?.name == "a\\u{1b}[2J ~\\u{a}\\u{1f}b\\u{7f}")
    #expect(dropped.last?.name == "\\u{1}" + String(repeating: "0", count: 255))
    #expect(dropped.last?.description.hasSuffix("' of host1.example.com/: invalid name") == true)
  }

  @Test func `a cookie that no Set-Cookie line produces is dropped`() throws {
    let cookies = try directory.makeStore(of: 40)
    let fields: [(String, CookieRejection)] = [
      ("name = 'a=b'", .notRestorable), ("value = 'a; b'", .notRestorable),
      ("value = ' a'", .notRestorable), ("path = '/ '", .notRestorable),
      ("name = '', value = ''", .emptyNameAndValue),
    ]
    for (index, field) in fields.enumerated() {
      try directory.execute("UPDATE cookie SET \(field.0) WHERE name = 'name\(index)'")
    }
    let salvage = try expect(kept: Array(cookies.dropFirst(fields.count)))
    #expect(
      salvage.dropped.map { "\($0.problem)" }.sorted() == fields.map { "\($0.1)" }.sorted())
  }

  @Test(arguments: ["SELECT 1", "UPDATE cookie SET sequence = 5"])
  func `a repaired file takes cookies and keeps their order`(sql: String) throws {
    try directory.makeStore(of: 60, pageSize: 512)
    try directory.execute(sql)
    let last = try directory.execute("SELECT last_sequence FROM tally")
    let bytes = try DatabaseBytes(directory)
    // The cookie with the highest number is lost.
    let page = try #require(bytes.leaves.first { $0.value.contains(59) }?.key)
    try bytes.overwriting(bytes.start(of: page)).write(directory)
    #expect(chmod(directory.file(), 0o644) == 0)
    let kept = try salvage().kept
    #expect(directory.mode() == 0o600)
    #expect(try directory.execute("SELECT last_sequence FROM tally") == last)
    let store = try directory.open()
    for name in ["new", "newer"] {
      try store.store("\(name)=1", from: .to("host0.example.com"))
    }
    let found = try store.all().map(\.name)
    store.close()
    #expect(Array(found.suffix(2)) == ["new", "newer"])
    #expect(found.dropLast(2).sorted() == kept.map(\.name).sorted())
    let sequences = try directory.execute("SELECT sequence FROM cookie")
    #expect(Set(sequences).count == sequences.count)
  }

  @Test func `an open store sees what was kept and goes on writing`() throws {
    let cookies = try directory.makeStore(of: 40)
    let store = try directory.open()
    try store.store("before=1", from: .to("other.example"))
    try directory.execute("UPDATE cookie SET expires = 'soon' WHERE name = 'name3'")
    try directory.expectFailure(.corrupt) { _ = try store.all() }
    #expect(try salvage().kept.count == 40)
    try store.store("after=1", from: .to("other.example"))
    #expect(try store.cookies(for: .to("other.example")).map(\.name) == ["before", "after"])
    store.close()
    #expect(
      try directory.cookies().map(\.name)
        == cookies.map(\.name).filter { $0 != "name3" } + ["before", "after"])
  }

  @Test func `a store whose pages were damaged while it was open can be cleared`() async throws {
    let clock = ManualWallClock()
    try directory.makeStore(of: 60, pageSize: 512, now: { clock.now })
    let store = try directory.open(now: { clock.now })
    // The first cookie, whose sequence number the next store assigns again.
    _ = try store.cookies(for: .to("host0.example.com"))
    clock.advance(by: -5)
    try damageOpenFile()
    try directory.expectFailure(.corrupt) { _ = try store.all() }
    let changes = store.changes()
    try store.clear()
    #expect(try store.all() == [])
    try store.store("new=1", from: .to("a.example"))
    #expect(try store.all().map(\.lastAccess) == [clock.now])
    store.close()
    #expect(try directory.contents().keys.sorted() == ["cookies.db"])
    #expect(try directory.cookies().map(\.name) == ["new"])
    var reported = 0
    for await _ in changes { reported += 1 }
    #expect(reported > 10)
  }

  /// Damages a leaf page in the middle, and makes an open store read its pages again.
  private func damageOpenFile() throws {
    let bytes = try DatabaseBytes(directory)
    let pages = bytes.leaves.keys.sorted()
    let handle = try FileHandle(forUpdating: URL(filePath: directory.file()))
    try handle.seek(toOffset: UInt64(bytes.start(of: pages[pages.count / 2])))
    try handle.write(contentsOf: Data(repeating: 0xff, count: 64))
    try handle.close()
    try directory.execute("UPDATE tally SET last_sequence = last_sequence + 1")
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `salvaging waits for a writer, no less than the timeout`(journal: String) throws {
    try directory.makeStore(of: 40)
    try directory.execute(
      "UPDATE cookie SET same_site = 9 WHERE name = 'name3'; PRAGMA journal_mode = \(journal)")
    for timeout in [Duration.milliseconds(30), .zero] {
      try directory.execute("BEGIN IMMEDIATE") { _ in
        try directory.expectBusy(after: timeout) { _ = try salvage(waiting: timeout) }
      }
    }
    #expect(try salvage().kept.count == 39)
  }

  @Test func `a file with random damage after its header becomes a store again`() throws {
    try directory.makeStore()
    let valid = try DatabaseBytes(directory)
    var repaired = 0
    for round in 0..<60 {
      var data = valid
      for _ in 0...Int.random(in: 0..<(round % 40 + 1)) {
        let place = Int.random(in: 100..<valid.bytes.count)
        data = data.overwriting(place, with: [UInt8.random(in: 0...255)])
      }
      try data.write(directory)
      let salvage = try salvage()
      repaired += salvage.isSound ? 0 : 1
      #expect(failureKind { try exercise(directory.file()) } == nil, "\(salvage)")
    }
    #expect(repaired > 10)
  }

  private func number(of cookie: Cookie) -> Int { Int(cookie.name.dropFirst(4)) ?? -1 }
}
