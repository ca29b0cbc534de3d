import ContractTesting
import DriftExploration
import ServerFixtures
import SystemLocks
import Testing

/// A cache with times to live, as an app sees it.
protocol ExpiringStore: Sendable {
  func set(_ text: String, for key: String, lasting seconds: Int?) throws(StoreError)
  func setIfAbsent(_ text: String, for key: String) throws(StoreError) -> Bool
  func text(for key: String) throws(StoreError) -> String?
  func increment(_ key: String, by amount: Int) throws(StoreError) -> Int
  /// Returns the new length in bytes.
  func append(_ text: String, to key: String) throws(StoreError) -> Int
  /// Adds to a list, and returns its length.
  func push(_ text: String, to key: String) throws(StoreError) -> Int
  func items(of key: String) throws(StoreError) -> [String]
  func expire(_ key: String, after seconds: Int) throws(StoreError) -> Bool
  func persist(_ key: String) throws(StoreError) -> Bool
  /// The time to live, -1 if there is none, and -2 if there is no such key.
  func secondsLeft(_ key: String) throws(StoreError) -> Int
  func rename(_ key: String, to other: String) throws(StoreError)
  func remove(_ key: String) throws(StoreError) -> Bool
}

enum StoreError: Error, Hashable {
  case wrongType
  case notInteger
  case overflow
  case missing
  case invalidTime
  case broken(message: String)
}

/// The fake: a dictionary.
final class MemoryStore: ExpiringStore {
  private enum Value {
    case text(String)
    case list([String])
  }

  private struct Entry {
    var value: Value
    var seconds: Int?
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let flaw: StoreFlaw?

  init(_ flaw: StoreFlaw? = nil) { self.flaw = flaw }

  func set(_ text: String, for key: String, lasting seconds: Int?) throws(StoreError) {
    if let seconds, seconds <= 0 { throw .invalidTime }
    entries.withLock { $0[key] = Entry(value: .text(text), seconds: seconds) }
  }

  func setIfAbsent(_ text: String, for key: String) -> Bool {
    entries.withLock { entries in
      if flaw != .setIfAbsentOverwrites, entries[key] != nil { return false }
      entries[key] = Entry(value: .text(text))
      return true
    }
  }

  func text(for key: String) throws(StoreError) -> String? {
    switch entries.withLock({ $0[key]?.value }) {
    case .text(let text): return text
    case .list(let items):
      if flaw == .readsOtherTypes { return "\(items)" }
      throw .wrongType
    case nil: return nil
    }
  }

  func increment(_ key: String, by amount: Int) throws(StoreError) -> Int {
    let text = try text(for: key)
    guard let number = text.map(Self.integer) ?? 0 else { throw .notInteger }
    let (sum, overflows) = number.addingReportingOverflow(amount)
    if overflows { throw .overflow }
    change(key, to: .text("\(sum)"), clearsExpiry: flaw == .incrementClearsExpiry)
    return sum
  }

  func append(_ text: String, to key: String) throws(StoreError) -> Int {
    let whole = try self.text(for: key).map { $0 + text } ?? text
    change(key, to: .text(whole), clearsExpiry: flaw == .appendClearsExpiry)
    return whole.utf8.count
  }

  func push(_ text: String, to key: String) throws(StoreError) -> Int {
    let items = try items(of: key) + [text]
    change(key, to: .list(items), clearsExpiry: false)
    return items.count
  }

  func items(of key: String) throws(StoreError) -> [String] {
    switch entries.withLock({ $0[key]?.value }) {
    case .list(let items): return items
    case .text: throw .wrongType
    case nil: return []
    }
  }

  func expire(_ key: String, after seconds: Int) -> Bool {
    entries.withLock { entries in
      guard entries[key] != nil else { return false }
      entries[key]?.seconds = seconds
      if seconds <= 0, flaw != .staysAfterNegativeExpiry { entries[key] = nil }
      return true
    }
  }

  func persist(_ key: String) -> Bool {
    entries.withLock { entries in
      guard entries[key]?.seconds != nil else { return false }
      if flaw != .persistLeavesExpiry { entries[key]?.seconds = nil }
      return true
    }
  }

  func secondsLeft(_ key: String) -> Int {
    guard let entry = entries.withLock({ $0[key] }) else { return flaw == .noKeyHasNoEnd ? -1 : -2 }
    return entry.seconds ?? -1
  }

  func rename(_ key: String, to other: String) throws(StoreError) {
    let isThere = entries.withLock { entries in
      guard var entry = entries[key] else { return false }
      entries[key] = nil
      switch flaw {
      case .renameLosesExpiry: entry.seconds = nil
      case .renameKeepsOtherExpiry: entry.seconds = entries[other]?.seconds ?? entry.seconds
      case .renameWithoutExpiryExpires: if entry.seconds == nil { return true }
      default: break
      }
      entries[other] = entry
      return true
    }
    if !isThere { throw .missing }
  }

  func remove(_ key: String) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }

  private func change(_ key: String, to value: Value, clearsExpiry: Bool) {
    entries.withLock { entries in
      entries[key] = Entry(value: value, seconds: clearsExpiry ? nil : entries[key]?.seconds)
    }
  }

  /// Redis accepts the shortest decimal form only.
  private static func integer(_ text: String) -> Int? {
    Int(text).flatMap { "\($0)" == text ? $0 : nil }
  }
}

enum StoreFlaw: String, ReportedFlaw {
  case incrementClearsExpiry  // jedis-mock issue 25
  case renameLosesExpiry  // garnet issue 651
  case renameWithoutExpiryExpires  // miniredis pull request 90
  case renameKeepsOtherExpiry  // redis issue 128
  case setIfAbsentOverwrites  // redis-mock pull request 202
  case readsOtherTypes  // ioredis-mock issue 387
  case noKeyHasNoEnd  // fakeredis issue 119
  case staysAfterNegativeExpiry  // fakeredis issue 153
  case persistLeavesExpiry  // redis-mock-js pull request 23
  case appendClearsExpiry  // jedis-mock pull request 857

  var calls: ClosedRange<Int> {
    switch self {
    case .noKeyHasNoEnd: 1...1
    case .readsOtherTypes, .setIfAbsentOverwrites: 2...2
    case .renameKeepsOtherExpiry: 4...4
    // Shrinking does not move the expiry from one call into another.
    case .appendClearsExpiry, .incrementClearsExpiry, .persistLeavesExpiry: 3...4
    default: 3...3
    }
  }
}

/// The real thing: Redis.
final class RedisStore: ExpiringStore {
  // Unchecked, and sound: an exploration calls one side from one task at a time.
  private nonisolated(unsafe) let connection: LineConnection
  private let prefix: String

  init(port: UInt16, prefix: String) throws(LineConnection.Broken) {
    connection = try LineConnection(port: port)
    self.prefix = prefix
  }

  private enum Reply {
    case text(String?)
    case integer(Int)
    case list([String])
  }

  func set(_ text: String, for key: String, lasting seconds: Int?) throws(StoreError) {
    _ = try send(["SET", prefix + key, text] + (seconds.map { ["EX", "\($0)"] } ?? []))
  }

  func setIfAbsent(_ text: String, for key: String) throws(StoreError) -> Bool {
    if case .text("OK") = try send(["SET", prefix + key, text, "NX"]) { true } else { false }
  }

  func text(for key: String) throws(StoreError) -> String? {
    if case .text(let text) = try send(["GET", prefix + key]) { text } else { nil }
  }

  func increment(_ key: String, by amount: Int) throws(StoreError) -> Int {
    try number("INCRBY", prefix + key, "\(amount)")
  }

  func append(_ text: String, to key: String) throws(StoreError) -> Int {
    try number("APPEND", prefix + key, text)
  }

  func push(_ text: String, to key: String) throws(StoreError) -> Int {
    try number("RPUSH", prefix + key, text)
  }

  func items(of key: String) throws(StoreError) -> [String] {
    if case .list(let items) = try send(["LRANGE", prefix + key, "0", "-1"]) { items } else { [] }
  }

  func expire(_ key: String, after seconds: Int) throws(StoreError) -> Bool {
    try number("EXPIRE", prefix + key, "\(seconds)") == 1
  }

  func persist(_ key: String) throws(StoreError) -> Bool {
    try number("PERSIST", prefix + key) == 1
  }
  func secondsLeft(_ key: String) throws(StoreError) -> Int { try number("TTL", prefix + key) }

  func rename(_ key: String, to other: String) throws(StoreError) {
    _ = try send(["RENAME", prefix + key, prefix + other])
  }

  func remove(_ key: String) throws(StoreError) -> Bool { try number("DEL", prefix + key) == 1 }

  private func number(_ parts: String...) throws(StoreError) -> Int {
    if case .integer(let number) = try send(parts) { return number }
    throw .broken(message: "no number")
  }

  private func send(_ parts: [String]) throws(StoreError) -> Reply {
    do {
      try connection.send(
        "*\(parts.count)\r\n" + parts.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
      return try reply()
    } catch let error as StoreError {
      throw error
    } catch {
      throw .broken(message: "\(error)")
    }
  }

  private func reply() throws -> Reply {
    let line = try connection.line()
    let rest = String(line.dropFirst())
    switch line.first {
    case ":": return .integer(Int(rest) ?? 0)
    case "$":
      guard let count = Int(rest), count >= 0 else { return .text(nil) }
      return .text(String(try connection.text(ofLength: count + 2).unicodeScalars.dropLast(2)))
    case "*":
      return .list(
        try (0..<(Int(rest) ?? 0)).map { _ in
          if case .text(let text?) = try reply() { text } else { "" }
        })
    case "-":
      if rest.hasPrefix("WRONGTYPE") { throw StoreError.wrongType }
      if rest.contains("not an integer") { throw StoreError.notInteger }
      if rest.contains("overflow") { throw StoreError.overflow }
      if rest.contains("no such key") { throw StoreError.missing }
      if rest.contains("invalid expire") { throw StoreError.invalidTime }
      throw StoreError.broken(message: rest)
    default: return .text(rest)
    }
  }
}

extension Implementation<any ExpiringStore> {
  static let redis = live("redis") { scope in
    let server = try await scope.server(sharedRedis)
    return try RedisStore(port: server.port, prefix: scope.namespace())
  }

  static func memory(_ flaw: StoreFlaw? = nil) -> Self { fake("memory") { MemoryStore(flaw) } }
}

private let sharedRedis = SharedServer(
  "redis-server", arguments: { ["--port", "\($0.port)", "--save", ""] },
  install: "apt-get install redis-server")

@OperationBuilder<any ExpiringStore> private var operations: [AnyOperation<any ExpiringStore>] {
  let seconds = Domain.of(100, 200, 0, -1)
  let texts = Domain.of("a", "1", "-3", "007", "+1", "é", "", "9223372036854775807")
  Operation("set", texts, .keys, .optional(seconds)) { store, text, key, seconds in
    try store.set(text, for: key, lasting: seconds)
  }
  Operation("setIfAbsent", texts, .keys) { try $0.setIfAbsent($1, for: $2) }
  Operation("text", .keys) { try $0.text(for: $1) }
  Operation("increment", .keys, .of(1, -1)) { try $0.increment($1, by: $2) }
  Operation("append", texts, .keys) { try $0.append($1, to: $2) }
  Operation("push", texts, .keys) { try $0.push($1, to: $2) }
  Operation("items", .keys) { try $0.items(of: $1) }
  Operation("expire", .keys, seconds) { try $0.expire($1, after: $2) }
  Operation("persist", .keys) { try $0.persist($1) }
  Operation("secondsLeft", .keys) { try $0.secondsLeft($1) }
  Operation("rename", .keys, .keys) { try $0.rename($1, to: $2) }
  Operation("remove", .keys) { try $0.remove($1) }
}

@Suite struct ExpiringStoreDriftTests {
  @Test func theFakeBehavesLikeRedis() async throws {
    try await exploreDrift(of: .memory(), from: .redis, settings: .foreign) { return operations }
  }

  @Test(arguments: StoreFlaw.sought)
  func reportedFlawsAreFound(_ flaw: StoreFlaw) async throws {
    try await expectFinding(of: flaw, in: .memory(flaw), from: .redis, operations)
  }
}
