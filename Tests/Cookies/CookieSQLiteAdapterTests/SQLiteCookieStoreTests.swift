import CookiePort
import Foundation
import ManualClocks
import Testing

@testable import CookieSQLiteAdapter

@Suite struct SQLiteCookieStoreTests {
  let folder: TemporaryFolder
  let clock = ManualWallClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(
    limits: CookiePolicy.Limits = .init(), durability: SQLiteCookieStore.Durability = .processCrash,
    busyTimeout: Duration = .seconds(5)
  ) throws -> SQLiteCookieStore {
    try SQLiteCookieStore(
      path: folder.file(), policy: CookiePolicy(limits: limits), durability: durability,
      busyTimeout: busyTimeout, now: { clock.now })
  }

  // MARK: The file

  @Test(arguments: ["deleted", "moved", "replaced"])
  func `a flush finds that the file is gone from its path, and no write is acknowledged then`(
    how: String
  ) throws {
    let store = try open()
    try store.store("a=1; Max-Age=60", from: .to())
    let path = folder.file()
    switch how {
    case "deleted": unlink(path)
    case "moved": rename(path, folder.file("elsewhere.db"))
    default: try Data().write(to: URL(filePath: path), options: .atomic)
    }
    let id = Cookie.ID(name: "a", domain: "example.com")
    #expect(failureKind { try store.flush() } == .gone)
    #expect(failureKind { try store.store("b=1; Max-Age=60", from: .to()) } == .gone)
    #expect(failureKind { try store.delete(id) } == .gone)
    #expect(failureKind { try store.clear() } == .gone)
    #expect(try store.all().map(\.name) == ["a"], "what was open can still be read")
    store.close()
  }

  @Test func `a write finds it too, a little later`() throws {
    let store = try open()
    unlink(folder.file())
    var kind: CookieStorageFailure.Kind?
    let end = ContinuousClock.now + .seconds(10)
    while kind == nil, ContinuousClock.now < end {
      kind = failureKind { try store.store("a=1; Max-Age=60", from: .to()) }
    }
    #expect(kind == .gone)
    store.close()
  }

  @Test func `the file and those beside it are private`() throws {
    let store = try open()
    try store.store("a=1", from: .to())
    for name in ["cookies.db", "cookies.db-wal", "cookies.db-shm"] {
      var status = stat()
      #expect(stat(folder.file(name), &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
    }
    store.close()
    #expect(try folder.contents().keys.sorted() == ["cookies.db"])
  }

  @Test func `names that mean something to SQLite are plain files`() throws {
    for name in [":memory:", "file:a?mode=memory", "a b%20c.db"] {
      let store = try SQLiteCookieStore(path: folder.file(name))
      try store.store("a=1", from: .to())
      store.close()
      #expect(FileManager.default.fileExists(atPath: folder.file(name)))
    }
  }

  @Test(arguments: [
    (SQLiteCookieStore.Durability.processCrash, Int64(1)), (.powerLoss, 2),
  ])
  func `durability decides on the synchronisation`(
    durability: SQLiteCookieStore.Durability, synchronous: Int64
  ) throws {
    let connection = try Connection(
      opening: folder.file(), schema: .current, durability: durability, busyTimeout: .zero)
    #expect(try connection.integer("PRAGMA synchronous") == synchronous)
    #expect(try connection.rows("PRAGMA journal_mode") { $0.words(0) } == ["wal"])
  }

  @Test func `every field survives reopening, dates to the last bit`() throws {
    let cookie = Cookie(
      name: "e\u{301}", value: "\u{e9} \"x\" %41", domain: "example.com", isHostOnly: false,
      path: "/docs", expires: clock.now + 12345.678_901_234, isSecure: true, isHTTPOnly: true,
      sameSite: .strict, creation: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2),
      lastAccess: Date(timeIntervalSinceReferenceDate: (1.0).nextUp))
    var store = try open()
    try store.restore([cookie])
    store.close()
    store = try open()
    #expect(try store.all() == [cookie])
  }

  @Test func `a store of an older version is brought up to date, with what it holds`() throws {
    try folder.makeStore(of: 20, now: { clock.now })
    let next = Schema(
      migrations: Schema.current.migrations + [
        "CREATE TABLE note (text); INSERT INTO note VALUES (1)"
      ])
    for _ in 1...2 {
      let connection = try Connection(
        opening: folder.file(), schema: next, durability: .processCrash, busyTimeout: .zero)
      #expect(try connection.integer("PRAGMA user_version") == 2)
      #expect(try connection.integer("SELECT count(*) FROM note") == 1)
      #expect(try connection.integer("SELECT count(*) FROM cookie") == 20)
    }
    #expect(failureKind { _ = try open() } == .newerVersion)
  }

  @Test func `a step that fails leaves the older version`() throws {
    try folder.makeStore(of: 20, now: { clock.now })
    let before = try folder.contents()
    let next = Schema(
      migrations: Schema.current.migrations + ["CREATE TABLE note (text); INSERT INTO nowhere"])
    #expect(
      failureKind {
        _ = try Connection(
          opening: folder.file(), schema: next, durability: .processCrash, busyTimeout: .zero)
      } == .other)
    #expect(try folder.contents() == before)
    #expect(try open().all().count == 20)
  }

  // MARK: Ends

  @Test func `a closed store says so, and its streams end`() async throws {
    let store = try open()
    let changes = store.changes()
    try store.store("a=1", from: .to())
    store.close()
    store.close()
    var seen: [CookieChange] = []
    for await change in changes { seen.append(change) }
    #expect(seen.count == 1)
    let request = try CookieRequest.to()
    let operations: [() throws -> Void] = [
      { try store.store("a=1", from: request) }, { _ = try store.cookies(for: request) },
      { _ = try store.all() }, { try store.restore([]) }, { try store.clear() },
      { try store.delete(Cookie.ID(name: "a", domain: "b")) }, { try store.removeExpired() },
      { try store.endSession() }, { try store.flush() },
    ]
    for operation in operations { #expect(failureKind(operation) == .closed) }
  }

  @Test func `a dropped store closes its file`() throws {
    do {
      let store = try open()
      try store.store("a=1", from: .to())
    }
    #expect(try folder.contents().keys.sorted() == ["cookies.db"])
  }

  // MARK: Several handles

  @Test func `handles see each other's writes at once`() throws {
    let one = try open()
    let other = try open()
    try one.store("a=1", from: .to())
    try other.store("a=2", from: .to())
    try other.store("b=1", from: .to())
    #expect(try one.cookies(for: .to()).map(\.serialized) == ["a=2", "b=1"])
    #expect(try one.delete(Cookie.ID(name: "a", domain: "example.com")))
    #expect(try other.all().map(\.name) == ["b"])
  }

  @Test func `handles in many threads lose nothing`() async throws {
    let handles = try (0..<4).map { _ in try open(limits: .init(perDomain: .max, total: .max)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for number in 0..<25 {
            try handles[task % 4].store("t\(task)-\(number)=1", from: .to())
            _ = try handles[(task + 1) % 4].cookies(for: .to())
          }
        }
      }
      try await group.waitForAll()
    }
    let cookies = try handles[0].all()
    #expect(cookies.count == 400)
    #expect(Set(cookies.map(\.name)).count == 400)
  }

  @Test func `a new file may be opened by many at once`() async throws {
    try await withThrowingTaskGroup(of: SQLiteCookieStore.self) { group in
      for number in 0..<8 {
        group.addTask {
          let store = try open()
          try store.store("n\(number)=1", from: .to())
          return store
        }
      }
      for try await store in group { store.close() }
    }
    #expect(try open().all().count == 8)
  }

  @Test func `a write waits for another handle no longer than the time-out`() throws {
    let store = try open(busyTimeout: .milliseconds(20))
    try store.store("a=1", from: .to())
    let other = try Connection(path: folder.file(), busyTimeout: .zero)
    try other.execute("BEGIN IMMEDIATE")
    #expect(failureKind { try store.store("b=1", from: .to()) } == .busy)
    #expect(try store.cookies(for: .to()).map(\.name) == ["a"])
    clock.advance(by: 60)
    #expect(try store.cookies(for: .to()).map(\.name) == ["a"], "advice isn't waited for")
    try other.execute("COMMIT")
    try store.store("b=1", from: .to())
    #expect(try store.all().map(\.name) == ["a", "b"])
  }

  @Test func `advice isn't waited for`() throws {
    let store = try open(busyTimeout: .seconds(60))
    try store.store("a=1", from: .to())
    _ = try store.cookies(for: .to())
    let other = try Connection(path: folder.file(), busyTimeout: .zero)
    try other.execute("BEGIN IMMEDIATE")
    clock.advance(by: 60)
    let time = try ContinuousClock().measure { _ = try store.cookies(for: .to()) }
    #expect(time < .seconds(30))
  }

  @Test func `the switch to the log waits for a writer no longer than the time-out`() throws {
    try folder.makeStore(of: 1)
    try folder.execute("PRAGMA journal_mode = DELETE")
    let writer = try Connection(path: folder.file(), busyTimeout: .zero)
    try writer.execute("BEGIN IMMEDIATE")
    let time = ContinuousClock().measure {
      #expect(failureKind { _ = try open(busyTimeout: .milliseconds(60)) } == .busy)
    }
    #expect(time >= .milliseconds(60))
    try writer.execute("COMMIT")
    #expect(failureKind { _ = try open() } == nil)
  }

  // MARK: Last access

  @Test func `last access is seen by its own handle at once, by others when it is flushed`() throws
  {
    let one = try open()
    let other = try open()
    try one.store("a=1", from: .to())
    let stored = clock.now
    clock.advance(by: 5)
    #expect(try one.cookies(for: .to()).map(\.lastAccess) == [stored + 5])
    #expect(try one.all().map(\.lastAccess) == [stored + 5])
    #expect(try other.all().map(\.lastAccess) == [stored])
    try one.flush()
    #expect(try other.all().map(\.lastAccess) == [stored + 5])
  }

  @Test func `last access is written half a minute later, and on closing`() throws {
    let one = try open()
    let other = try open()
    try one.store("a=1", from: .to())
    let stored = clock.now
    _ = try one.cookies(for: .to())
    clock.advance(by: 29)
    _ = try one.cookies(for: .to())
    #expect(try other.all().map(\.lastAccess) == [stored])
    clock.advance(by: 1)
    _ = try one.cookies(for: .to())
    #expect(try other.all().map(\.lastAccess) == [stored + 30])
    clock.advance(by: 1)
    _ = try one.cookies(for: .to())
    one.close()
    #expect(try other.all().map(\.lastAccess) == [stored + 31])
  }

  @Test func `a later access by another handle stands`() throws {
    let one = try open()
    let other = try open()
    try one.store("a=1", from: .to())
    let stored = clock.now
    clock.advance(by: 1)
    _ = try one.cookies(for: .to())
    clock.advance(by: 1)
    _ = try other.cookies(for: .to())
    try other.flush()
    try one.flush()
    #expect(try other.all().map(\.lastAccess) == [stored + 2])
  }

  @Test func `an access that waits isn't taken for a new cookie of that name`() throws {
    let one = try open()
    let other = try open()
    try one.store("a=1", from: .to())
    clock.advance(by: 5)
    _ = try one.cookies(for: .to())
    clock.advance(by: -5)
    try other.clear()
    try other.store("a=1", from: .to())
    try one.flush()
    #expect(try one.all().map(\.lastAccess) == [clock.now])
  }

  @Test func `an access that has been written is forgotten`() throws {
    let one = try open()
    let other = try open()
    try one.store("a=1", from: .to())
    clock.advance(by: 5)
    _ = try one.cookies(for: .to())
    try one.flush()
    clock.advance(by: -5)
    try other.store("a=2", from: .to())
    #expect(try one.all().map(\.lastAccess) == [clock.now])
  }

  // MARK: Octets

  @Test func `identities are compared octet by octet, NUL included`() throws {
    let store = try open()
    try store.store("a=1; Path=/", from: .to())
    #expect(try !store.delete(Cookie.ID(name: "a\0b", domain: "example.com")))
    #expect(try !store.delete(Cookie.ID(name: "a", domain: "example.com\0")))
    try store.store("\u{e9}=1", from: .to())
    try store.store("e\u{301}=1", from: .to())
    #expect(try store.all().count == 3)
  }

  @Test func `limits lowered since are kept to from the next new cookie on`() throws {
    try folder.makeStore(of: 30, now: { clock.now })
    let store = try open(limits: .init(perDomain: 2, total: 10))
    try store.store("new=1", from: .to("host0.example.com"))
    #expect(try store.all().count == 10)
    #expect(try store.cookies(for: .to("host0.example.com")).map(\.name) == ["new"])
  }
}
