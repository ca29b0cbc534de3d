import ContractTesting
import CookiePort
import CookieSQLiteAdapter
import Foundation
import Testing

private let project = "this project"

extension Contract<CookieSalvageFixture> {
  /// Which files a store refuses, each with its kind of failure and unchanged.
  @ClauseBuilder<CookieSalvageFixture>
  static var refusals: [Clause<CookieSalvageFixture>] {
    Clause("no-database", "a file that is no database is refused", from: project) { fixture in
      for length in [1, 50, 99, 100, 5000] {
        try Data(repeating: 0x78, count: length).write(to: fixture.file)
        try fixture.expectRefusals(.notACookieStore, of: "\(length) bytes of text")
      }
      let bytes = try DatabaseBytes(fixture, having: try fixture.fill(4))
      try bytes.overwriting(0, with: Array(repeating: 0x20, count: 16)).write(fixture)
      try fixture.expectRefusals(.notACookieStore, of: "a store with a damaged header")
    }
    Clause("damaged", "a store with a damaged page is refused until it is repaired", from: project)
    {
      fixture in
      let bytes = try DatabaseBytes(fixture, having: try fixture.fill(40))
      for page in bytes.pages {
        try bytes.overwriting(bytes.start(of: page)).write(fixture)
        try fixture.expectRefusal(.corrupt, of: "a store with page \(page) damaged") {
          _ = try fixture.open()
        }
      }
      for length in [bytes.pageSize - 1, 2 * bytes.pageSize, 5 * bytes.pageSize + 1] {
        try bytes.prefix(length).write(fixture)
        try fixture.expectRefusal(.corrupt, of: "a store cut after \(length) bytes") {
          _ = try fixture.open()
        }
      }
    }
    Clause("newer-version", "a store of a newer version is refused", from: project) { fixture in
      let bytes = try DatabaseBytes(fixture, having: try fixture.fill(20))
      try fixture.execute("PRAGMA user_version = 2")
      try fixture.expectRefusals(.newerVersion, of: "a store of version 2")
      let newer = try DatabaseBytes(fixture, having: [])
      try newer.overwriting(bytes.start(of: 2)).write(fixture)
      try fixture.expectRefusals(.newerVersion, of: "a damaged store of version 2")
      for version in [0, -1] {
        try bytes.write(fixture)
        try fixture.execute("PRAGMA user_version = \(version)")
        try fixture.expectRefusal(.corrupt, of: "a store of version \(version)") {
          _ = try fixture.open()
        }
      }
    }
    Clause("other-program", "a database of another program is refused", from: project) { fixture in
      for sql in [
        "CREATE TABLE note (text)", "PRAGMA user_version = 1", "PRAGMA application_id = 7",
        "PRAGMA journal_mode = WAL; CREATE TABLE cookie (name)",
      ] {
        try fixture.removeFiles()
        try fixture.execute(sql)
        try fixture.setMode(0o644)
        try fixture.expectRefusals(.notACookieStore, of: "a database after \(sql)")
        checkEqual(fixture.mode(), 0o644, "the mode of another program's database")
      }
      // Most programs leave both numbers as they are.
      for sql in [
        "PRAGMA application_id = 7", "PRAGMA application_id = 0; PRAGMA user_version = 0",
      ] {
        _ = try fixture.fill(2)
        try fixture.execute(sql)
        let bytes = try DatabaseBytes(fixture, having: [])
        for page in [1, 2] {
          try bytes.overwriting(bytes.start(of: page)).write(fixture)
          try fixture.expectRefusal(
            .notACookieStore, of: "repairing another program's page \(page) after \(sql)"
          ) { _ = try fixture.salvage() }
        }
      }
    }
    Clause(
      "other-log", "the log or journal of another program's database is left as it is",
      from: "sqlite.org, Write-Ahead Logging"
    ) { fixture in
      for (log, sql) in [
        ("-wal", "PRAGMA journal_mode = WAL; CREATE TABLE note (text)"),
        (
          "-journal",
          """
          CREATE TABLE note (text);
          INSERT INTO note WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 99)
            SELECT hex(randomblob(500)) FROM n;
          PRAGMA cache_size = 1; BEGIN; UPDATE note SET text = 'x' || text
          """
        ),
      ] {
        try fixture.removeFiles()
        // What a crash leaves: the files while another program has them open.
        let files = try fixture.execute(sql) { _ in try fixture.contents() }
        for (name, data) in files {
          try data.write(to: fixture.file.deletingLastPathComponent().appending(path: name))
        }
        let left = try fixture.contents()[fixture.file.lastPathComponent + log]
        checkEqual(left?.isEmpty, false, "whether the file \(log) is empty")
        try fixture.expectRefusal(.notACookieStore, of: "a database with a file \(log)") {
          _ = try fixture.open()
        }
      }
    }
    Clause(
      "ended-journal", "a journal that no crash left is ignored", from: "sqlite.org, File Format §3"
    ) { fixture in
      let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
      let pages: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0]
      for (what, bytes) in [
        ("of no bytes", []), ("cut in its header", magic + pages + [0, 0, 1]),
        ("with a cleared header", Array(repeating: 0, count: 28)),
        ("of no pages", magic + [0, 0, 0, 1, 9, 9, 9, 9] + Array(repeating: 0, count: 12)),
        ("of another form", [0xd8] + magic.dropFirst() + pages + Array(repeating: 1, count: 12)),
      ] as [(String, [UInt8])] {
        let cookies = try fixture.fill(4)
        try Data(bytes).write(to: URL(filePath: fixture.file.path + "-journal"))
        checkEqual(try fixture.cookies(), cookies, "the cookies beside a journal \(what)")
      }
      let many = magic + pages + [1, 0, 0, 0] + Array(repeating: 0, count: 8)
      try Data(many).write(to: URL(filePath: fixture.file.path + "-journal"))
      try fixture.expectRefusals(.notACookieStore, of: "a store with a journal of many pages")
    }
    Clause("other-tables", "a store with other tables is refused", from: project) { fixture in
      let bytes = try DatabaseBytes(fixture, having: try fixture.fill(4))
      for sql in [
        "CREATE TABLE note (text)", "CREATE VIEW everything AS SELECT * FROM cookie",
        "CREATE TRIGGER greedy AFTER INSERT ON cookie BEGIN DELETE FROM cookie; END",
        "CREATE INDEX by_value ON cookie (value)", "DROP INDEX cookie_secure", "DROP TABLE tally",
        "ALTER TABLE cookie ADD COLUMN extra", "ALTER TABLE cookie RENAME COLUMN value TO price",
        "DELETE FROM tally", "UPDATE tally SET cookies = 5", "UPDATE tally SET last_sequence = -1",
      ] {
        try bytes.write(fixture)
        try fixture.execute(sql)
        try fixture.expectRefusal(.corrupt, of: "a store after \(sql)") { _ = try fixture.open() }
      }
      try bytes.write(fixture)
      let tables = try fixture.execute(
        "SELECT group_concat(sql, '; ') FROM sqlite_schema WHERE sql IS NOT NULL")
      let version = try fixture.execute("PRAGMA application_id; PRAGMA user_version")
      try fixture.removeFiles()
      try fixture.execute(
        """
        PRAGMA encoding = 'UTF-16'; \(tables[0]); INSERT INTO tally VALUES (1, 0, 0, NULL, NULL);
        PRAGMA application_id = \(version[0]); PRAGMA user_version = \(version[1]);
        """)
      try fixture.expectRefusal(.corrupt, of: "a store in UTF-16") { _ = try fixture.open() }
    }
    Clause("statistics", "the statistics of ANALYZE are accepted", from: "sqlite.org, ANALYZE") {
      fixture in
      let cookies = try fixture.fill(20)
      try fixture.execute("ANALYZE")
      checkEqual(try fixture.cookies(), cookies, "the cookies after ANALYZE")
    }
    Clause("no-file", "a path that can't be a file is refused", from: project) { fixture in
      let manager = FileManager.default
      try fixture.removeFiles()
      try fixture.expectRefusal(.notACookieStore, of: "a repair of no file") {
        _ = try fixture.salvage()
      }
      try manager.createDirectory(at: fixture.file, withIntermediateDirectories: true)
      try fixture.expectRefusals(.notACookieStore, of: "a directory")
      try manager.removeItem(at: fixture.file)
      try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "nothing")
      try fixture.expectRefusals(.notACookieStore, of: "a symbolic link to nothing")
      try manager.removeItem(at: fixture.file)
      checkEqual(mkfifo(fixture.file.path, 0o600), 0, "the result of mkfifo(3)")
      try fixture.expectRefusals(.notACookieStore, of: "a pipe")
      try manager.removeItem(at: fixture.file)
      _ = try fixture.fill(4)
      checkEqual(mkfifo(fixture.file.path + "-journal", 0o600), 0, "the result of mkfifo(3)")
      try fixture.expectRefusals(.notACookieStore, of: "a pipe as journal")
    }
    Clause("private", "an opened store and its log are for their owner only", from: project) {
      fixture in
      _ = try fixture.fill(4)
      let names = ["", "-wal", "-shm"]
      let other = try fixture.open()
      try other.store("a=1", from: try CookieRequest(isSecure: true, host: "a.example"))
      for name in names { try fixture.setMode(0o666, name) }
      let store = try fixture.open()
      for name in names { checkEqual(fixture.mode(name), 0o600, "the mode of the file \(name)") }
      store.close()
      other.close()
      for (mode, expected) in [(0o601, 0o600), (0o700, 0o700)] {
        try fixture.setMode(mode)
        try fixture.open().close()
        checkEqual(fixture.mode(), expected, "the mode of a store that had \(mode)")
      }
      try fixture.removeFiles()
      try Data().write(to: fixture.file)
      try fixture.setMode(0o644)
      try fixture.open().close()
      checkEqual(fixture.mode(), 0o600, "the mode of an empty file that became a store")
    }
    Clause(
      "locked", "a write waits for the lock of another program, no less than the timeout",
      from: "sqlite.org, sqlite3_busy_timeout"
    ) { fixture in
      _ = try fixture.fill(4)
      let request = try CookieRequest(isSecure: true, host: "a.example")
      for timeout in [Duration.milliseconds(30), .milliseconds(-5), .zero] {
        let store = try fixture.open(waiting: timeout)
        try fixture.execute("BEGIN IMMEDIATE") { _ in
          let time = try ContinuousClock().measure {
            try fixture.expectRefusal(.busy, of: "a write while another program writes") {
              try store.store("a=1", from: request)
            }
          }
          checkEqual(time >= timeout, true, "whether it waited for \(timeout)")
          checkEqual(time < timeout + .seconds(20), true, "whether it failed \(timeout) later")
        }
        try store.store("a=1", from: request)
        store.close()
      }
      let patient = try fixture.open(waiting: .seconds(1e12))
      try patient.store("b=1", from: request)
      patient.close()
      try fixture.expectRefusal(.closed, of: "a write to a closed store") {
        try patient.store("c=1", from: request)
      }
    }
    Clause(
      "kept-as-evidence", "closing a store that met damage leaves the file and its log unchanged",
      from: project
    ) { fixture in
      _ = try fixture.fill(20)
      let store = try fixture.open()
      let request = try CookieRequest(isSecure: true, host: "a.example")
      try store.store("a=1", from: request)
      try fixture.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name3'")
      try fixture.expectRefusal(.corrupt, of: "reading a bad row") { _ = try store.all() }
      let before = try fixture.contents()
      fixture.close(store)
      let after = try fixture.contents()
      let log = fixture.file.lastPathComponent + "-wal"
      checkEqual(before[log]?.isEmpty, false, "whether the log was empty")
      checkEqual(after[log] == before[log], true, "whether close() leaves the log")
      let file = fixture.file.lastPathComponent
      checkEqual(after[file] == before[file], true, "whether close() leaves the file")
    }
  }
}

extension CookieSalvageFixture {
  /// Expects opening a store and repairing it to fail, and to leave every file as it is.
  fileprivate func expectRefusals(
    _ kind: CookieStorageFailure.Kind, of what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRefusal(kind, of: "opening \(what)", sourceLocation: sourceLocation) {
      _ = try open()
    }
    try expectRefusal(kind, of: "repairing \(what)", sourceLocation: sourceLocation) {
      _ = try salvage()
    }
  }
}
