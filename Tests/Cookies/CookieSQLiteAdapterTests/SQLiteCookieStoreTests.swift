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

  @Test(arguments: [
    (SQLiteCookieStore.Durability.processCrash, Int64(1)), (.powerLoss, 2),
  ])
  func `durability sets the synchronization mode`(
    durability: SQLiteCookieStore.Durability, synchronous: Int64
  ) throws {
    let connection = try Connection(
      opening: directory.file(), schema: .current, durability: durability, busyTimeout: .zero)
    #expect(try connection.integer("PRAGMA synchronous") == synchronous)
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
