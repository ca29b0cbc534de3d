import CSQLite
import ContractTesting
import DriftExploration
import ExpiringStoreContract
import ExpiringStorePort
import ExpiringStoreSQLiteAdapter
import Foundation
import ManualClocks
import Testing

@Suite struct ExpiringStoreContractTests {
  @Test(
    arguments: Contract.expiringStore.cases(for: .inMemory, .sqlite)
      + Contract.expiringStore.saboteurCases)
  func holds(_ contractCase: ContractCase<ExpiringStoreFixture>) async throws {
    try await contractCase.verify()
  }
}

/// The fake beside SQLite. `CONTRACT_SOAK_STORE_SECONDS` explores for longer.
@Suite struct ExpiringStoreDriftTests {
  @Test func `the fake behaves like SQLite`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let seconds = variables["CONTRACT_SOAK_STORE_SECONDS"].flatMap { Double($0) } ?? 2
    let lifetimes = Domain<Duration?>.of(
      nil, .milliseconds(1), .milliseconds(2), .milliseconds(1000), .zero, .seconds(-1),
      .seconds(Int64.max))
    let times = Domain.of(1, 2, 999, 1000)
    try await exploreDrift(of: .inMemory, from: .sqlite, settings: .drift(time: .seconds(seconds)))
    {
      Operation("create", .keys, .bytes, lifetimes) { fixture, key, value, lifetime in
        try await fixture.store.create(key, value, lasting: lifetime)
      }
      Operation("set", .keys, .bytes, lifetimes) { fixture, key, value, lifetime in
        try await fixture.store.set(key, to: value, lasting: lifetime)
      }
      Operation("value", .keys) { fixture, key in try await fixture.store.value(of: key) }
      Operation("remove", .keys) { fixture, key in try await fixture.store.remove(key) }
      Operation("pass", times) { fixture, milliseconds in
        try await fixture.pass(.milliseconds(milliseconds))
      }
    }
  }
}

extension Implementation<ExpiringStoreFixture> {
  static let inMemory: Self = fake("in-memory") {
    let clock = ManualClock()
    let store = InMemoryExpiringStore(maximumValueSize: 1 << 20) { clock.now.offset }
    return ExpiringStoreFixture(
      store, passing: { clock.advance(by: $0) },
      setFails: { store.fail(because: $0 ? "a test wants it" : nil) })
  }
  .lacking(.sharing, because: "memory has one user")

  static let sqlite: Self = live("sqlite") { scope in
    let file = try scope.temporaryDirectory().appending(path: "values.sqlite").path
    let clock = ManualClock()
    let start = StoreTime.system()
    let open: @Sendable () throws -> SQLiteExpiringStore = {
      try SQLiteExpiringStore(path: file, maximumValueSize: 1 << 20, busyTimeout: .milliseconds(20))
      {
        start + clock.now.offset
      }
    }
    let store = try open()
    scope.witness("the rows", printedBy: ["sqlite3", file, "SELECT * FROM expiring_values"])
    let other = OtherUser(file: file)
    return ExpiringStoreFixture(
      store, passing: { clock.advance(by: $0) }, setFails: { try other.setTable(isAway: $0) },
      reopen: open)
  }
  .version { _ in AdaptedVersion.sqlite }
}

/// Another user of a file, who takes the table away and brings it back.
private struct OtherUser {
  let file: String

  func setTable(isAway: Bool) throws {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    let (old, new) = isAway ? ("expiring_values", "away") : ("away", "expiring_values")
    try #require(sqlite3_open(file, &connection) == SQLITE_OK)
    try #require(
      sqlite3_exec(connection, "ALTER TABLE \(old) RENAME TO \(new)", nil, nil, nil) == SQLITE_OK)
  }
}
