import ContractTesting
import CookiePort
import CookieSQLiteAdapter
import Foundation
import ManualClocks
import Testing

private let project = "this project"

extension Contract<CookieSalvageFixture> {
  /// What the handles of a file do: where they find it, when they write and wait, and what they leave.
  static let cookieHandles = Contract("cookie-handles", "Handles of a cookie file") {
    places
    times
    ends
  } saboteurs: {
    Saboteur.cookieHandles
  }

  @ClauseBuilder<CookieSalvageFixture>
  private static var places: [Clause<CookieSalvageFixture>] {
    Clause("paths", "a path is that of a file, whatever it means to SQLite", from: project) {
      fixture in
      let folder = fixture.file.deletingLastPathComponent().path
      let current = FileManager.default.currentDirectoryPath
      let up = String(repeating: "../", count: current.split(separator: "/").count)
      for path in ["/:memory:", "/file:a?mode=memory", "/a b%20c.sqlite"].map({ folder + $0 }) {
        for (given, expected) in [
          (path, path), (up + path.dropFirst(), current + "/" + up + path.dropFirst()),
        ] {
          let store = try fixture.open(at: given)
          checkEqual(store.path, expected, "the store's path for \(describe(given))")
          try store.store("a=1", from: try .secure)
          store.close()
          checkEqual(
            try Data(contentsOf: URL(filePath: path)).starts(with: Array("SQLite format 3".utf8)),
            true, "whether \(describe(path)) is a database")
        }
        try FileManager.default.removeItem(atPath: path)
      }
    }
    Clause("bad-paths", "a path that can't be a file's is refused with the reason", from: project) {
      fixture in
      let (manager, path) = (FileManager.default, fixture.file.path)
      let loop = path + ".loop"
      try manager.createSymbolicLink(atPath: loop, withDestinationPath: loop)
      try Data().write(to: fixture.file)
      for (bad, kind) in [
        ("", .notPermitted), (path + "\0b", .notPermitted),
        (path + ".none/cookies.sqlite", .missingDirectory),
        (path + "/cookies.sqlite", .missingDirectory), (path + ".new/", .notACookieStore),
        (loop, .other), (path + String(repeating: "a", count: 300), .other),
      ] as [(String, CookieStorageFailure.Kind)] {
        try fixture.expectRefusal(kind, of: "opening \(describe(bad))", at: bad) {
          _ = try fixture.open(at: bad)
        }
      }
    }
    Clause(
      "created-private",
      "a new or empty file is for its owner only before it becomes a store, or does not",
      from: project
    ) { fixture in
      let log = fixture.file.path + "-wal"
      try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
      for what in ["new", "empty"] {
        do {
          try fixture.open().close()
        } catch CookieStoreError.storage {}
        checkEqual(fixture.mode(), 0o600, "the mode of a \(what) file with a folder for its log")
        try fixture.setMode(0o644)
      }
    }
    Clause(
      "marked", "the file says that it is a cookie store, and of which version",
      from: "sqlite.org, PRAGMA application_id"
    ) { fixture in
      try fixture.open().close()
      checkEqual(
        try fixture.execute("PRAGMA application_id; PRAGMA user_version"),
        ["\(0x436F_6F6B)", "1"], "the id, 'Cook' in ASCII, and the version")
    }
    Clause("flushed", "a flush moves everything from the log to the file", from: project) {
      fixture in
      let store = try fixture.open()
      try store.store("a=1", from: try .secure)
      let file = try Data(contentsOf: fixture.file)
      try store.flush()
      checkEqual(
        try Data(contentsOf: fixture.file) == file, false, "whether a flush writes nothing")
      let alone = fixture.file.path + ".copy"
      try Data(contentsOf: fixture.file).write(to: URL(filePath: alone))
      let copy = try fixture.open(at: alone)
      checkEqual(try copy.all().map(\.name), ["a"], "the names in the file without its log")
      copy.close()
      store.close()
    }
    Clause("gone", "a handle whose file is no longer in its place writes nothing", from: project) {
      fixture in
      for how in ["deleted", "moved", "replaced"] {
        try fixture.removeFiles()
        let store = try fixture.open()
        try store.store("a=1", from: try .secure)
        let path = fixture.file.path
        switch how {
        case "deleted": try FileManager.default.removeItem(atPath: path)
        case "moved": try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        default: try Data().write(to: fixture.file, options: .atomic)
        }
        for (what, write) in [
          ("flushing", { try store.flush() }),
          ("storing in", { try store.store("b=1", from: try .secure) }),
          ("deleting in", { try store.delete(Cookie.ID(name: "a", domain: "a.example")) }),
          ("clearing", { try store.clear() }),
        ] as [(String, () throws -> Void)] {
          try fixture.expectRefusal(.gone, of: "\(what) a \(how) file", by: write)
        }
        checkEqual(try store.all().map(\.name), ["a"], "the names that can still be read")
        store.close()
      }
    }
    Clause("gone-soon", "writes alone notice that the file is gone", from: project) { fixture in
      let store = try fixture.open()
      try store.store("a=1", from: try .secure)
      try FileManager.default.removeItem(at: fixture.file)
      var failure: CookieStorageFailure.Kind?
      let end = ContinuousClock.now + .seconds(10)
      while failure == nil, ContinuousClock.now < end {
        usleep(5_000)
        do {
          try store.store("a=1", from: try .secure)
        } catch CookieStoreError.storage(let found) {
          failure = found.kind
        }
      }
      checkEqual(failure, .gone, "the failure of a write within 10 s")
    }
  }

  @ClauseBuilder<CookieSalvageFixture>
  private static var times: [Clause<CookieSalvageFixture>] {
    Clause(
      "accesses-buffered",
      "a lookup 30 s after the oldest unwritten last access, or a close, writes them", from: project
    ) { fixture in
      let clock = ManualWallClock()
      let (store, other) = (try fixture.open(at: clock), try fixture.open(at: clock))
      try store.store("a=1", from: try .secure)
      try store.store("b=1; Path=/b", from: try .secure)
      let start = clock.now
      func use(_ path: String, after seconds: TimeInterval) throws {
        clock.now = start + seconds
        _ = try store.cookies(for: try CookieRequest(isSecure: true, host: "a.example", path: path))
      }
      func expect(_ a: TimeInterval, _ b: TimeInterval, _ when: String) throws {
        checkEqual(
          try other.all().map { $0.lastAccess.timeIntervalSince(start) }, [a, b],
          "the last accesses that another handle sees \(when)")
      }
      try use("/", after: 1)
      try use("/b", after: 20)
      try use("/", after: 30.5)
      try expect(0, 0, "29.5 s after the oldest")
      try use("/", after: 31)
      try expect(31, 20, "30 s after the oldest")
      try use("/", after: 60.5)
      try use("/b", after: 61)
      try expect(31, 20, "0.5 s after the next oldest")
      try use("/", after: 60)
      try expect(60, 61, "after the clock went backwards")
      try use("/", after: 70)
      store.close()
      try expect(70, 61, "after closing")
      other.close()
    }
    Clause(
      "accesses-at-once", "a lookup writes last accesses only if that needs no waiting",
      from: project
    ) { fixture in
      let clock = ManualWallClock()
      let store = try fixture.open(at: clock, waiting: .seconds(60))
      try store.store("a=1", from: try .secure)
      _ = try store.cookies(for: try .secure)
      try fixture.execute("BEGIN IMMEDIATE") { _ in
        clock.advance(by: 40)
        let time = try ContinuousClock().measure { _ = try store.cookies(for: try .secure) }
        checkEqual(time < .seconds(30), true, "whether a lookup took less than half the timeout")
      }
      let other = try fixture.open(at: clock)
      for (seconds, expected) in [(29.5, -69.5), (0.5, 0)] {
        clock.advance(by: seconds)
        _ = try store.cookies(for: try .secure)
        let seen = try other.all().map { $0.lastAccess.timeIntervalSince(clock.now) }
        checkEqual(seen, [expected], "the last access written, \(seconds) s later")
      }
      // The timeout holds again for writes.
      try fixture.execute("BEGIN IMMEDIATE") { _ in
        let hasty = try fixture.open(at: clock, waiting: .milliseconds(30))
        _ = try hasty.cookies(for: try .secure)
        clock.advance(by: 30)
        _ = try hasty.cookies(for: try .secure)
        try fixture.expectBusy(after: .milliseconds(30), "a write after a lookup") {
          try hasty.store("b=1", from: try .secure)
        }
        hasty.close()
      }
      store.close()
      other.close()
    }
    Clause(
      "other-access", "the last access of a replaced cookie is not that of the new one",
      from: project
    ) { fixture in
      let clock = ManualWallClock()
      let (store, other) = (try fixture.open(at: clock), try fixture.open(at: clock))
      for replace in [{ try other.clear() }, { try store.flush() }] as [() throws -> Void] {
        try store.store("a=1", from: try .secure)
        clock.advance(by: 5)
        _ = try store.cookies(for: try .secure)
        clock.advance(by: -5)
        try replace()
        try other.store("a=2", from: try .secure)
        try store.flush()
        checkEqual(try store.all().map(\.lastAccess), [clock.now], "the last access")
      }
      store.close()
      other.close()
    }
    Clause(
      "log-waits", "opening a file without a log waits for its writer, no less than the timeout",
      from: "sqlite.org, PRAGMA journal_mode"
    ) { fixture in
      _ = try fixture.fill(4)
      try fixture.execute("PRAGMA journal_mode = DELETE")
      for lock in ["IMMEDIATE", "EXCLUSIVE"] {
        try fixture.execute("BEGIN \(lock)") { _ in
          try fixture.expectBusy(after: .milliseconds(30), "opening the file") {
            _ = try fixture.open(waiting: .milliseconds(30))
          }
        }
      }
      try fixture.open().close()
      checkEqual(try fixture.execute("PRAGMA journal_mode"), ["wal"], "the journal of the file")
    }
    Clause(
      "flush-waits",
      "a flush waits for a writer, no less than the timeout, and so does the next write",
      from: "sqlite.org, sqlite3_wal_checkpoint_v2"
    ) { fixture in
      let timeout = Duration.milliseconds(30)
      let store = try fixture.open(waiting: timeout)
      try store.store("a=1", from: try .secure)
      // Otherwise a flush moves a part before it fails.
      try store.flush()
      try fixture.execute("BEGIN IMMEDIATE") { _ in
        try fixture.expectBusy(after: timeout, "a flush") { try store.flush() }
        try fixture.expectBusy(after: timeout, "a write after a flush") {
          try store.store("b=1", from: try .secure)
        }
      }
      store.close()
    }
    Clause("salvage-waits", "a repair waits for a writer, no less than the timeout", from: project)
    {
      fixture in
      for journal in ["WAL", "DELETE"] {
        let cookies = try fixture.fill(40)
        let bytes = try DatabaseBytes(fixture, having: cookies)
        let page = try #require(bytes.pages(having: 1).last)
        try bytes.overwriting(bytes.start(of: page)).write(fixture)
        try fixture.execute("PRAGMA journal_mode = \(journal)")
        for timeout in [Duration.milliseconds(30), .zero] {
          try fixture.execute("BEGIN IMMEDIATE") { _ in
            try fixture.expectBusy(after: timeout, "a repair") {
              _ = try fixture.salvage(waiting: timeout)
            }
          }
        }
        let lost = bytes.cookies[page] ?? []
        try fixture.expect(kept: cookies.filter { !lost.contains($0) }, "after the writer ended")
      }
    }
    Clause(
      "impossible-time", "a clock outside the years 1 to 9999 is a failure of its own",
      from: project
    ) { fixture in
      let clock = ManualWallClock()
      let store = try fixture.open(at: clock)
      try store.store("a=1", from: try .secure)
      for seconds in [Double.nan, 253_402_300_799.5, -62_135_769_600.5, .infinity] {
        clock.now = Date(timeIntervalSince1970: seconds)
        try fixture.expectRefusal(.clockOutOfRange, of: "a write at \(seconds) s") {
          try store.store("b=1", from: try .secure)
        }
        try fixture.expectRefusal(.clockOutOfRange, of: "a lookup at \(seconds) s") {
          _ = try store.cookies(for: try .secure)
        }
      }
      for seconds in [253_402_300_799, -62_135_769_600.0] {
        clock.now = Date(timeIntervalSince1970: seconds)
        checkEqual(try store.all().map(\.name), ["a"], "the names at \(seconds) s")
      }
      store.close()
    }
  }

  @ClauseBuilder<CookieSalvageFixture>
  private static var ends: [Clause<CookieSalvageFixture>] {
    Clause("closed", "a closed handle has left one file, and does nothing more", from: project) {
      fixture in
      let (other, store) = (try fixture.open(), try fixture.open())
      let changes = store.changes()
      try store.store("a=1", from: try .secure)
      other.close()
      checkEqual(try fixture.openFiles.isEmpty, false, "whether an open handle has no file open")
      fixture.close(store)
      try await fixture.expectEnd(of: changes)
      fixture.close(store)
      for (what, call) in [
        ("storing", { try store.store("a=1", from: try .secure) }),
        ("a lookup", { _ = try store.cookies(for: try .secure) }),
        ("all()", { _ = try store.all() }), ("restoring", { try store.restore([]) }),
        ("clearing", { try store.clear() }), ("flushing", { try store.flush() }),
        ("deleting", { try store.delete(Cookie.ID(name: "a", domain: "a.example")) }),
        ("removing", { try store.removeExpired() }), ("a new session", { try store.endSession() }),
      ] as [(String, () throws -> Void)] {
        try fixture.expectRefusal(.closed, of: "\(what) after closing", by: call)
      }
    }
    Clause("released", "a released handle ends like a closed one", from: project) { fixture in
      let clock = ManualWallClock()
      func useAndRelease() throws -> AsyncStream<CookieChange> {
        let store = try fixture.open(at: clock)
        let changes = store.changes()
        try store.store("a=1", from: try .secure)
        clock.advance(by: 5)
        _ = try store.cookies(for: try .secure)
        return changes
      }
      try await fixture.expectEnd(of: try useAndRelease())
      checkEqual(try fixture.cookies().map(\.lastAccess), [clock.now], "the last access written")
    }
    Clause("refused-closed", "a file that is refused is not kept open", from: project) { fixture in
      for sql in ["PRAGMA user_version = 2", "PRAGMA application_id = 7", "DROP TABLE tally"] {
        _ = try fixture.fill(4)
        try fixture.execute(sql)
        do { try fixture.open().close() } catch CookieStoreError.storage {}
        checkEqual(try fixture.openFiles, [], "the files open after \(sql)")
      }
      try Data(repeating: 0x78, count: 5000).write(to: fixture.file)
      do { try fixture.open().close() } catch CookieStoreError.storage {}
      checkEqual(try fixture.openFiles, [], "the files open after a file that is no database")
    }
  }
}

extension CookieRequest {
  fileprivate static var secure: CookieRequest {
    get throws { try CookieRequest(isSecure: true, host: "a.example") }
  }
}

extension CookieSalvageFixture {
  /// Opens a store with a clock.
  func open(
    at clock: ManualWallClock, waiting time: Duration = .seconds(5)
  ) throws -> SQLiteCookieStore {
    try opening(Opening(path: file.path, timeout: time, now: { clock.now }))
  }

  /// Opens a store at any path.
  fileprivate func open(at path: String) throws -> SQLiteCookieStore {
    try opening(Opening(path: path))
  }

  /// Expects a call to fail because of another program's lock, no sooner than the timeout.
  fileprivate func expectBusy(
    after timeout: Duration, _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    by call: () throws -> Void
  ) throws {
    let time = try ContinuousClock().measure {
      try expectRefusal(.busy, of: what, sourceLocation: sourceLocation, by: call)
    }
    checkEqual(
      time >= timeout, true, "whether \(what) waited for \(timeout)", sourceLocation: sourceLocation
    )
    checkEqual(
      time < timeout + .seconds(20), true, "whether \(what) failed \(timeout) later",
      sourceLocation: sourceLocation)
  }

  /// Expects that a handle with one change has ended: its stream, its log and its descriptors.
  fileprivate func expectEnd(
    of changes: AsyncStream<CookieChange>, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var count = 0
    for await _ in changes { count += 1 }
    checkEqual(count, 1, "the number of changes", sourceLocation: sourceLocation)
    checkEqual(
      try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path),
      [file.lastPathComponent], "the files that are left", sourceLocation: sourceLocation)
    checkEqual(try openFiles, [], "the files that are open", sourceLocation: sourceLocation)
  }

  /// The names of the folder's files that this process has open.
  fileprivate var openFiles: [String] {
    get throws {
      let manager = FileManager.default
      let open = try manager.contentsOfDirectory(atPath: "/dev/fd").compactMap { name in
        var status = stat()
        return Int32(name).flatMap { fstat($0, &status) == 0 ? FileID(status) : nil }
      }
      let folder = file.deletingLastPathComponent()
      return try manager.contentsOfDirectory(atPath: folder.path).filter { name in
        var status = stat()
        return stat(folder.appending(path: name).path, &status) == 0
          && open.contains(FileID(status))
      }
    }
  }
}

/// What tells a file from all others.
private struct FileID: Equatable {
  var device: UInt64
  var number: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
