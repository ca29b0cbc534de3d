import CookiePort
import CookieTestSupport
import Foundation
import ManualClocks
import Testing

@testable import CookieSQLiteAdapter

@Suite struct SQLiteCookieStoreTests {
  let directory: TemporaryDirectory
  let clock = ManualWallClock()

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    limits: CookiePolicy.Limits = .init(), durability: SQLiteCookieStore.Durability = .processCrash,
    busyTimeout: Duration = .seconds(5)
  ) throws -> SQLiteCookieStore {
    try SQLiteCookieStore(
      path: directory.file(), policy: CookiePolicy(limits: limits), durability: durability,
      busyTimeout: busyTimeout, now: { clock.now })
  }

  // MARK: The file

  @Test(
    arguments: [
      (.processCrash, [1, 0, 0]), (.powerLoss, [2, 1, 1]),
    ] as [(SQLiteCookieStore.Durability, [Int64])])
  func `durability sets the synchronization mode`(
    durability: SQLiteCookieStore.Durability, expected: [Int64]
  ) throws {
    let connection = try Connection(
      opening: directory.file(), schema: .current, durability: durability, busyTimeout: .zero)
    let settings = ["synchronous", "fullfsync", "checkpoint_fullfsync"]
    #expect(try settings.map { try connection.integer("PRAGMA \($0)") } == expected)
    #expect(try connection.integer("PRAGMA cell_size_check") == 1)
    #expect(try connection.rows("PRAGMA journal_mode") { $0.displayText(0) } == ["wal"])
  }

  @Test func `every field survives reopening, dates exactly`() throws {
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

  @Test func `a lookup leaves no domain for the next one`() throws {
    let store = try open()
    let parent = "a-name-that-has-no-room-in-a-string.example"
    try store.store("p=1; Domain=\(parent)", from: .to(parent))
    let host = "www." + parent
    for _ in 1...3 {
      #expect(try store.cookies(for: .to(host)).map(\.name) == ["p"])
      #expect(try store.cookies(for: .to("localhost")).isEmpty)
    }
  }

  @Test func `what a restore evicts is reported domain by domain`() async throws {
    let store = try open(limits: .init(perDomain: 1))
    let domains = ["e.example", "b.example", "d.example", "a.example", "c.example", "f.example"]
    let cookies = domains.flatMap { domain in
      (0..<2).map { number in
        Cookie(
          name: "n\(number)", value: "", domain: domain, isHostOnly: true,
          creation: clock.now + Double(number), lastAccess: clock.now + Double(number))
      }
    }
    let changes = store.changes()
    try store.restore(cookies)
    store.close()
    var evicted: [String] = []
    for await change in changes {
      if case .removed(let cookie, .evicted) = change { evicted.append(cookie.domain) }
    }
    #expect(evicted == domains.sorted())
  }

  @Test func `a store of an older version is migrated with its cookies`() throws {
    try directory.makeStore(of: 20, now: { clock.now })
    let next = Schema(
      migrations: Schema.current.migrations + [
        "CREATE TABLE note (text); INSERT INTO note VALUES (1)"
      ])
    for _ in 1...2 {
      let connection = try Connection(
        opening: directory.file(), schema: next, durability: .processCrash, busyTimeout: .zero)
      #expect(try connection.integer("PRAGMA user_version") == 2)
      #expect(try connection.integer("SELECT count(*) FROM note") == 1)
      #expect(try connection.integer("SELECT count(*) FROM cookie") == 20)
    }
    #expect(failureKind { _ = try open() } == .newerVersion)
  }

  @Test func `a failed migration leaves the older version`() throws {
    try directory.makeStore(of: 20, now: { clock.now })
    let before = try directory.contents()
    let next = Schema(
      migrations: Schema.current.migrations + ["CREATE TABLE note (text); INSERT INTO nowhere"])
    #expect(
      failureKind {
        _ = try Connection(
          opening: directory.file(), schema: next, durability: .processCrash, busyTimeout: .zero)
      } == .other)
    #expect(try directory.contents() == before)
    #expect(try open().all().count == 20)
  }

  // MARK: Several handles

  @Test func `a new file may be opened by several handles concurrently`() async throws {
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

  @Test func `a later access by another handle is kept`() throws {
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

  // MARK: Bytes

  @Test func `identities are compared byte by byte, including NUL`() throws {
    let store = try open()
    try store.store("a=1; Path=/", from: .to())
    #expect(try !store.delete(Cookie.ID(name: "a\0b", domain: "example.com")))
    #expect(try !store.delete(Cookie.ID(name: "a", domain: "example.com\0")))
    try store.store("\u{e9}=1", from: .to())
    try store.store("e\u{301}=1", from: .to())
    #expect(try store.all().count == 3)
  }
}
