import ContractTesting
import DriftExploration
import ExpiringStoreContract
import ExpiringStorePort
import ExpiringStoreRedis
import ExpiringStoreSQLiteAdapter
import Foundation
import ServerFixtures
import Testing

@Suite struct ExpiringStoreTests {
  @Test(arguments: Contract.expiringStore.cases(for: .redis, .sqlite, .inMemory))
  func holds(_ contractCase: ContractCase<ExpiringStoreFixture>) async throws {
    try await contractCase.verify()
  }

  /// `CONTRACT_EXPLORE_SECONDS=600` explores for ten minutes.
  @Test(arguments: [Implementation<ExpiringStoreFixture>.inMemory, .sqlite])
  func `a store behaves like Redis`(_ store: Implementation<ExpiringStoreFixture>) async throws {
    let variables = ProcessInfo.processInfo.environment
    let seconds = variables["CONTRACT_EXPLORE_SECONDS"].flatMap { Double($0) } ?? 3
    // Redis has its own clock: no lifetime ends while the stores are compared.
    let lifetimes = Domain<Duration?>.of(
      nil, .seconds(3600), .seconds(Int64.max), .zero, .seconds(-1))
    try await exploreDrift(of: store, from: .redis, settings: .drift(time: .seconds(seconds))) {
      Operation("create", .keys, .bytes, lifetimes) { fixture, key, value, lifetime in
        try await fixture.store.create(key, value, lasting: lifetime)
      }
      Operation("set", .keys, .bytes, lifetimes) { fixture, key, value, lifetime in
        try await fixture.store.set(key, to: value, lasting: lifetime)
      }
      Operation("value", .keys) { fixture, key in try await fixture.store.value(of: key) }
      Operation("remove", .keys) { fixture, key in try await fixture.store.remove(key) }
    }
  }
}

extension Implementation<ExpiringStoreFixture> {
  /// Each case has keys of its own in one server, behind a proxy that can refuse it.
  static let redis = live("redis") { scope in
    let server = try await scope.server(redisServer)
    let proxy = try scope.proxy(to: server.port)
    let prefix = scope.namespace()
    let open: @Sendable () -> RedisExpiringStore = {
      RedisExpiringStore(port: proxy.port, prefix: prefix, maximumValueSize: 1 << 20)
    }
    return ExpiringStoreFixture(
      open(),
      setFails: { fails in
        proxy.faults.refusesConnections = fails
        proxy.resetConnections()
      }, reopen: open)
  }
  .version { fixture in
    let store = fixture.store as? RedisExpiringStore
    return try store.map { "Redis \(try $0.serverVersion())" } ?? "unknown"
  }
  .lacking(.manualClock, because: "Redis reads the system's clock")

  // The package's own tests give these a clock, and make them fail.
  static let inMemory = fake("in-memory") { ExpiringStoreFixture(InMemoryExpiringStore()) }
    .storeOnly

  static let sqlite = live("sqlite") { scope in
    let file = try scope.temporaryDirectory().appending(path: "values.sqlite")
    scope.witness(file: file)
    return ExpiringStoreFixture(try SQLiteExpiringStore(path: file.path))
  }
  .version { _ in "SQLite \(SQLiteExpiringStore.libraryVersion)" }
  .storeOnly
}

/// One server for all tests.
let redisServer = SharedServer(
  "redis-server", arguments: { ["--port", "\($0.port)", "--save", ""] },
  install: "apt-get install redis-server")
