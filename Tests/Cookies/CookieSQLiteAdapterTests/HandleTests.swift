import CookiePort
import CookieTestSupport
import Foundation
import ManualClocks
import Testing

@testable import CookieSQLiteAdapter

/// Tests what the handles of a file do: where they find it, when they write and wait, and what they leave.
@Suite struct HandleTests {
  let directory: TemporaryDirectory
  let clock = ManualWallClock()

  init() throws { directory = try TemporaryDirectory() }

  private func open(waiting time: Duration = .seconds(5)) throws -> SQLiteCookieStore {
    try directory.open(waiting: time, now: { [clock] in clock.now })
  }

  // MARK: The path

  @Test(arguments: [":memory:", "file:a?mode=memory", "a b%20c.sqlite"])
  func `a path is that of a file, whatever it means to SQLite`(name: String) throws {
    let current = FileManager.default.currentDirectoryPath
    let up = String(repeating: "../", count: current.split(separator: "/").count)
    let path = directory.file(name)
    for (given, expected) in [
      (path, path), (up + path.dropFirst(), "\(current)/\(up)\(path.dropFirst())"),
    ] {
      let store = try SQLiteCookieStore(path: given)
      #expect(store.path == expected)
      try store.store("a=1", from: .to())
      store.close()
      let data = try Data(contentsOf: URL(filePath: path))
      #expect(data.starts(with: Array("SQLite format 3".utf8)))
    }
  }

  @Test func `a path that can't be a file's is refused with the reason`() throws {
    let path = directory.file()
    let loop = path + ".loop"
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    try Data().write(to: URL(filePath: path))
    for (bad, kind) in [
      ("", .notPermitted), (path + "\0b", .notPermitted),
      (path + ".none/cookies.db", .missingDirectory), (path + "/cookies.db", .missingDirectory),
      (path + ".new/", .notACookieStore), (loop, .other),
      (path + String(repeating: "a", count: 300), .other),
    ] as [(String, CookieStorageFailure.Kind)] {
      try directory.expectFailure(kind, of: bad, at: bad) { _ = try SQLiteCookieStore(path: bad) }
    }
    let error = #expect(throws: CookieStoreError.self) {
      try SQLiteCookieStore(path: "/no/cookies")
    }
    #expect(error?.description.contains("directory doesn't exist: create it") == true)
  }

  // MARK: The file

  @Test func `a new or empty file is private before it becomes a store, or does not`() throws {
    // SQLite can't create the log, so that opening fails.
    try FileManager.default.createDirectory(
      atPath: directory.file("cookies.db-wal"), withIntermediateDirectories: true)
    for mode in [nil, 0o644] as [mode_t?] {
      if let mode { #expect(chmod(directory.file(), mode) == 0) }
      #expect(failureKind { _ = try open() } != nil)
      #expect(directory.mode() == 0o600)
    }
  }

  @Test func `an opened store, its log and its shared memory are private`() throws {
    let names = ["cookies.db", "cookies.db-wal", "cookies.db-shm"]
    let other = try open()
    try other.store("a=1", from: .to())
    for name in names {
      #expect(directory.mode(name) == 0o600)
      #expect(chmod(directory.file(name), 0o666) == 0)
    }
    let store = try open()
    for name in names { #expect(directory.mode(name) == 0o600, "\(name)") }
    store.close()
    other.close()
    for (mode, expected) in [(0o601, 0o600), (0o700, 0o700)] as [(mode_t, Int)] {
      #expect(chmod(directory.file(), mode) == 0)
      try open().close()
      #expect(directory.mode() == expected)
    }
    try Data().write(to: URL(filePath: directory.file()))
    #expect(chmod(directory.file(), 0o644) == 0)
    try open().close()
    #expect(directory.mode() == 0o600)
  }

  @Test func `the file says that it is a cookie store, and of which version`() throws {
    try open().close()
    #expect(
      try directory.execute("PRAGMA application_id; PRAGMA user_version")
        == ["\(0x436F_6F6B)", "1"], "'Cook' in ASCII")
  }

  @Test func `a flush moves everything from the log to the file`() throws {
    let store = try open()
    try store.store("a=1", from: .to())
    let before = FileManager.default.contents(atPath: directory.file())
    try store.flush()
    #expect(FileManager.default.contents(atPath: directory.file()) != before)
    try FileManager.default.copyItem(atPath: directory.file(), toPath: directory.file("copy.db"))
    #expect(try directory.cookies("copy.db").map(\.name) == ["a"])
  }

  @Test(arguments: ["deleted", "moved", "replaced"])
  func `a handle whose file is no longer in its place writes nothing`(how: String) throws {
    let path = directory.file()
    let store = try open()
    try store.store("a=1", from: .to())
    switch how {
    case "deleted": try FileManager.default.removeItem(atPath: path)
    case "moved": try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    default: try Data().write(to: URL(filePath: path), options: .atomic)
    }
    try directory.expectFailure(.gone) { try store.flush() }
    try directory.expectFailure(.gone) { try store.store("b=1", from: .to()) }
    try directory.expectFailure(.gone) { try store.delete(Cookie.ID(name: "a", domain: "a.b")) }
    try directory.expectFailure(.gone) { try store.clear() }
    #expect(try store.all().map(\.name) == ["a"])
  }

  @Test func `writes notice within 10 s that the file is gone`() throws {
    let store = try open()
    try store.store("a=1", from: .to())
    try FileManager.default.removeItem(atPath: directory.file())
    var failure: CookieStorageFailure.Kind?
    let end = ContinuousClock.now + .seconds(10)
    while failure == nil, ContinuousClock.now < end {
      usleep(5_000)
      failure = failureKind { try store.store("a=1", from: .to()) }
    }
    #expect(failure == .gone)
  }

  // MARK: Last accesses

  @Test func `a lookup 30 s after the oldest unwritten last access, or a close, writes them`()
    throws
  {
    let (store, other) = (try open(), try open())
    try store.store("a=1", from: .to())
    try store.store("b=1; Path=/b", from: .to())
    let start = clock.now
    func use(_ path: String, at time: TimeInterval) throws -> [TimeInterval] {
      clock.now = start + time
      _ = try store.cookies(for: .to(path: path))
      return try other.all().map { $0.lastAccess.timeIntervalSince(start) }
    }
    #expect(try use("/", at: 1) == [0, 0])
    #expect(try use("/b", at: 20) == [0, 0])
    #expect(try use("/", at: 30.5) == [0, 0], "29.5 s after the oldest")
    #expect(try use("/", at: 31) == [31, 20], "30 s after the oldest")
    #expect(try use("/", at: 60.5) == [31, 20])
    #expect(try use("/b", at: 61) == [31, 20], "0.5 s after the next oldest")
    #expect(try use("/", at: 60) == [60, 61], "after the clock went backwards")
    #expect(try use("/", at: 70) == [60, 61])
    store.close()
    #expect(try other.all().map { $0.lastAccess.timeIntervalSince(start) } == [70, 61])
  }

  @Test func `a lookup writes last accesses only if that needs no waiting`() throws {
    let store = try open(waiting: .seconds(60))
    try store.store("a=1", from: .to())
    _ = try store.cookies(for: .to())
    try directory.execute("BEGIN IMMEDIATE") { _ in
      clock.advance(by: 40)
      let time = try ContinuousClock().measure { _ = try store.cookies(for: .to()) }
      #expect(time < .seconds(30), "half the timeout")
    }
    let other = try open()
    for (seconds, expected) in [(29.5, -69.5), (0.5, 0)] {
      clock.advance(by: seconds)
      _ = try store.cookies(for: .to())
      #expect(try other.all().map { $0.lastAccess.timeIntervalSince(clock.now) } == [expected])
    }
    // The timeout holds again for writes.
    try directory.execute("BEGIN IMMEDIATE") { _ in
      let hasty = try open(waiting: .milliseconds(30))
      _ = try hasty.cookies(for: .to())
      clock.advance(by: 30)
      _ = try hasty.cookies(for: .to())
      try directory.expectBusy(after: .milliseconds(30)) { try hasty.store("b=1", from: .to()) }
      hasty.close()
    }
  }

  @Test(arguments: [true, false])
  func `the last access of a replaced cookie is not that of the new one`(isCleared: Bool) throws {
    let (store, other) = (try open(), try open())
    try store.store("a=1", from: .to())
    clock.advance(by: 5)
    _ = try store.cookies(for: .to())
    clock.advance(by: -5)
    if isCleared { try other.clear() } else { try store.flush() }
    try other.store("a=2", from: .to())
    try store.flush()
    #expect(try store.all().map(\.lastAccess) == [clock.now])
  }

  @Test func `last access is visible to its handle immediately, to others after a flush`() throws {
    let (one, other) = (try open(), try open())
    try one.store("a=1", from: .to())
    let stored = clock.now
    clock.advance(by: 5)
    #expect(try one.cookies(for: .to()).map(\.lastAccess) == [stored + 5])
    #expect(try one.all().map(\.lastAccess) == [stored + 5])
    #expect(try other.all().map(\.lastAccess) == [stored])
    try one.flush()
    #expect(try other.all().map(\.lastAccess) == [stored + 5])
  }

  // MARK: Waiting

  @Test(arguments: ["IMMEDIATE", "EXCLUSIVE"])
  func `opening a file without a log waits for its writer, no less than the timeout`(
    lock: String
  ) throws {
    try directory.makeStore(of: 4)
    try directory.execute("PRAGMA journal_mode = DELETE")
    try directory.execute("BEGIN \(lock)") { _ in
      try directory.expectBusy(after: .milliseconds(30)) {
        _ = try open(waiting: .milliseconds(30))
      }
    }
    try open().close()
    #expect(try directory.execute("PRAGMA journal_mode") == ["wal"])
  }

  @Test(arguments: [Duration.milliseconds(30), .milliseconds(-5), .zero])
  func `a write and a flush wait for a writer, no less than the timeout`(timeout: Duration) throws {
    let store = try open(waiting: timeout)
    try store.store("a=1", from: .to())
    // Otherwise a flush moves a part before it fails.
    try store.flush()
    try directory.execute("BEGIN IMMEDIATE") { _ in
      try directory.expectBusy(after: timeout) { try store.store("b=1", from: .to()) }
      try directory.expectBusy(after: timeout) { try store.flush() }
      try directory.expectBusy(after: timeout) { try store.store("b=1", from: .to()) }
    }
    try store.store("b=1", from: .to())
    let patient = try open(waiting: .seconds(1e12))
    try patient.store("c=1", from: .to())
    #expect(try store.all().count == 3)
  }

  @Test func `a clock outside the years 1 to 9999 is a failure of its own`() throws {
    let store = try open()
    try store.store("a=1", from: .to())
    for seconds in [Double.nan, 253_402_300_799.5, -62_135_769_600.5, .infinity] {
      clock.now = Date(timeIntervalSince1970: seconds)
      try directory.expectFailure(.clockOutOfRange) { try store.store("b=1", from: .to()) }
      try directory.expectFailure(.clockOutOfRange) { _ = try store.cookies(for: .to()) }
    }
    for seconds in [253_402_300_799, -62_135_769_600.0] {
      clock.now = Date(timeIntervalSince1970: seconds)
      #expect(try store.all().map(\.name) == ["a"])
    }
  }

  // MARK: The end

  @Test func `a closed handle has left one file, and does nothing more`() async throws {
    let (other, store) = (try open(), try open())
    let changes = store.changes()
    try store.store("a=1", from: .to())
    other.close()
    #expect(try !directory.openFiles().isEmpty)
    store.close()
    try await expectEnd(of: changes)
    store.close()
    for call in [
      { try store.store("a=1", from: .to()) }, { _ = try store.cookies(for: .to()) },
      { _ = try store.all() }, { try store.restore([]) }, { try store.clear() },
      { try store.flush() }, { try store.delete(Cookie.ID(name: "a", domain: "a.b")) },
      { try store.removeExpired() }, { try store.endSession() },
    ] as [() throws -> Void] {
      try directory.expectFailure(.closed, call)
    }
  }

  @Test func `a released handle ends like a closed one`() async throws {
    func useAndRelease() throws -> AsyncStream<CookieChange> {
      let store = try open()
      let changes = store.changes()
      try store.store("a=1", from: .to())
      clock.advance(by: 5)
      _ = try store.cookies(for: .to())
      return changes
    }
    try await expectEnd(of: try useAndRelease())
    #expect(try directory.cookies().map(\.lastAccess) == [clock.now])
  }

  @Test(arguments: [
    "PRAGMA user_version = 2", "PRAGMA application_id = 7", "DROP TABLE tally", "no database",
  ])
  func `a file that is refused is not kept open`(sql: String) throws {
    try directory.makeStore(of: 4)
    if sql == "no database" {
      try Data(repeating: 0x78, count: 5000).write(to: URL(filePath: directory.file()))
    } else {
      try directory.execute(sql)
    }
    #expect(failureKind { _ = try open() } != nil)
    #expect(try directory.openFiles() == [])
  }

  @Test func `closing a store that met damage leaves the file and its log unchanged`() throws {
    try directory.makeStore(of: 20, now: { [clock] in clock.now })
    let store = try open()
    try store.store("a=1", from: .to())
    try directory.execute("UPDATE cookie SET same_site = 9 WHERE name = 'name3'")
    try directory.expectFailure(.corrupt) { _ = try store.all() }
    let before = try directory.contents()
    #expect(before["cookies.db-wal"]?.isEmpty == false)
    store.close()
    #expect(try directory.contents() == before)
  }

  @Test func `closing a store that met another program's lock leaves one file`() throws {
    let store = try open(waiting: .zero)
    try store.store("a=1", from: .to())
    try directory.execute("BEGIN IMMEDIATE") { _ in
      try directory.expectBusy(after: .zero) { try store.store("b=1", from: .to()) }
    }
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["cookies.db"])
    #expect(try directory.cookies().map(\.name) == ["a"])
  }

  /// Expects that a handle with one change has ended: its stream, its log and its descriptors.
  private func expectEnd(of changes: AsyncStream<CookieChange>) async throws {
    var count = 0
    for await _ in changes { count += 1 }
    #expect(count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["cookies.db"])
    #expect(try directory.openFiles() == [])
  }
}
