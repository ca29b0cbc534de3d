public import ContractTesting
import ExpiringStorePort
import ManualClocks
import Testing

extension Contract<ExpiringStoreFixture> {
  /// The behaviour of all stores with expiry.
  public static let expiringStore: Self = Contract(
    "expiring-store", "Store with expiry", leavesOthersToMutants: true
  ) {
    ClauseGroup("Values") { valueClauses }
    ClauseGroup("Lifetimes") { lifetimeClauses }
    ClauseGroup("Types") { typeClauses }
    ClauseGroup("Storage") { storageClauses }
  } saboteurs: {
    Saboteur("stopped-clock", "never lets a value expire", caughtBy: "expires", "many-expired") {
      sabotaged(timesAsFast: 0)
    }
    Saboteur("fast-clock", "lets values expire too early", caughtBy: "instant") {
      sabotaged(timesAsFast: 2)
    }
  }
}

/// A fixture of the fake whose time passes too fast or not at all.
private func sabotaged(timesAsFast factor: Int) -> ExpiringStoreFixture {
  let clock = ManualClock()
  let store = InMemoryExpiringStore { clock.now.offset }
  return ExpiringStoreFixture(store, passing: { clock.advance(by: $0 * factor) })
}

/// Texts that an inexact comparison takes for equal, or that a storage may change.
private let oddKeys = [
  "", " ", "a", "A", "a ", "ab", "a\0", "a\0b", "caf\u{e9}", "cafe\u{301}", "😀", "a:b", "a*", "a%",
  "a_b", "a\nb",
  "'\"", String(repeating: "k", count: 10_000),
]

@ClauseBuilder<ExpiringStoreFixture> private var valueClauses: [Clause<ExpiringStoreFixture>] {
  Clause("gives-back", "a key has the value that was stored, byte for byte") { fixture in
    let store = fixture.store
    for bytes: [UInt8] in [[1], [], Array(0...255), Array(repeating: 7, count: 1 << 20)] {
      try await store.set("key", to: bytes, lasting: nil)
      #expect(try await store.value(of: "key") == bytes, "\(bytes.count) bytes")
      try await store.remove("key")
      try await store.create("key", bytes, lasting: .seconds(3600))
      #expect(try await store.value(of: "key") == bytes, "\(bytes.count) bytes")
    }
  }
  Clause("no-value", "a key without a value has none, and removing that is no error") { fixture in
    #expect(try await fixture.store.value(of: "key") == nil)
    try await fixture.store.remove("key")
    #expect(try await fixture.store.value(of: "key") == nil)
  }
  Clause("set-replaces", "setting replaces the value") { fixture in
    for value: [UInt8] in [[1, 2, 3], [4], []] {
      try await fixture.store.set("key", to: value, lasting: nil)
      #expect(try await fixture.store.value(of: "key") == value)
    }
  }
  Clause("create-once", "creating fails if the key has a value, names it, and leaves it") {
    fixture in
    try await fixture.store.create("key", [1], lasting: nil)
    try await fixture.store.set("other", to: [], lasting: .seconds(3600))
    for (key, value) in [("key", [UInt8(1)]), ("other", [])] {
      await #expect(throws: ExpiringStoreError.exists(key: key)) {
        try await fixture.store.create(key, [2], lasting: .seconds(7200))
      }
      #expect(try await fixture.store.value(of: key) == value)
    }
  }
  Clause("removes", "a removed value is gone, others stay, and the key can be created again") {
    fixture in
    let store = fixture.store
    for key in ["a", "b"] { try await store.set(key, to: Array(key.utf8), lasting: nil) }
    try await store.remove("a")
    #expect(try await store.value(of: "a") == nil)
    #expect(try await store.value(of: "b") == [98])
    try await store.create("a", [2], lasting: nil)
    #expect(try await store.value(of: "a") == [2])
  }
  Clause("exact-keys", "each text is a key of its own") { fixture in
    let store = fixture.store
    for (number, key) in zip(UInt8(0)..., oddKeys) {
      try await store.create(key, [number], lasting: nil)
    }
    for (number, key) in zip(UInt8(0)..., oddKeys) {
      #expect(try await store.value(of: key) == [number], "\(key.debugDescription)")
    }
    for key in oddKeys {
      try await store.remove(key)
      #expect(try await store.value(of: key) == nil, "\(key.debugDescription)")
      try await store.set(key, to: [200], lasting: .seconds(3600))
      #expect(try await store.value(of: key) == [200], "\(key.debugDescription)")
    }
  }
  Clause("one-creator", "of several tasks that create a key, one succeeds") { fixture in
    let store = fixture.store
    let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
      for value in UInt8(1)...16 {
        group.addTask {
          do throws(ExpiringStoreError) {
            try await store.create("key", [value], lasting: .seconds(3600))
          } catch {
            guard error == .exists(key: "key") else { throw error }
            return nil
          }
          return value
        }
      }
      return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
    }
    #expect(winners.count == 1)
    #expect(try await store.value(of: "key") == winners)
  }
  Clause("many-writers", "of several tasks that set a key, one value stays whole") { fixture in
    let store = fixture.store
    let values = (UInt8(1)...8).map { [UInt8](repeating: $0, count: 10_000) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for value in values {
        group.addTask { for _ in 1...4 { try await store.set("key", to: value, lasting: nil) } }
      }
      try await group.waitForAll()
    }
    let found = try #require(try await store.value(of: "key"))
    #expect(values.contains(found))
  }
}

@ClauseBuilder<ExpiringStoreFixture> private var lifetimeClauses: [Clause<ExpiringStoreFixture>] {
  Clause("expires", "a value is gone when its lifetime has passed, and others stay") { fixture in
    let store = fixture.store
    try await store.set("set", to: [1], lasting: .milliseconds(50))
    try await store.create("created", [2], lasting: .milliseconds(50))
    try await store.set("longer", to: [3], lasting: .seconds(3600))
    try await store.set("endless", to: [4], lasting: nil)
    try await fixture.pass(.milliseconds(50))
    #expect(try await store.value(of: "set") == nil)
    #expect(try await store.value(of: "created") == nil)
    #expect(try await store.value(of: "longer") == [3])
    #expect(try await store.value(of: "endless") == [4])
    try await store.remove("set")
  }
  Clause(
    "instant", "a value lives up to the instant at which its lifetime has passed, and not at it",
    requires: .manualClock
  ) { fixture in
    let store = fixture.store
    for lifetime in [
      Duration.milliseconds(1), .milliseconds(999), .milliseconds(1500), .seconds(86_400 * 400),
    ] {
      try await store.set("set", to: [1], lasting: lifetime)
      try await store.create("created", [2], lasting: lifetime)
      try await fixture.pass(lifetime - .milliseconds(1))
      #expect(try await store.value(of: "set") == [1], "\(lifetime)")
      await #expect(throws: ExpiringStoreError.exists(key: "created")) {
        try await store.create("created", [3], lasting: nil)
      }
      try await fixture.pass(.milliseconds(1))
      #expect(try await store.value(of: "set") == nil, "\(lifetime)")
      #expect(try await store.value(of: "created") == nil, "\(lifetime)")
      try await store.create("created", [4], lasting: nil)
      #expect(try await store.value(of: "created") == [4], "\(lifetime)")
      try await store.remove("created")
    }
  }
  Absence(of: .manualClock, "time passes without the test") { fixture in
    try await fixture.store.set("key", to: [1], lasting: .milliseconds(50))
    try await ExpiringStoreFixture.wait(.milliseconds(50))
    #expect(try await fixture.store.value(of: "key") == nil)
  }
  Clause(
    "short-lifetimes", "a lifetime is not rounded to seconds, and the shortest is one",
    requires: .manualClock
  ) { fixture in
    let store = fixture.store
    for lifetime in [Duration.nanoseconds(1), .microseconds(1), .microseconds(999)] {
      try await store.set("key", to: [1], lasting: lifetime)
      #expect(try await store.value(of: "key") == [1], "\(lifetime)")
      try await fixture.pass(.milliseconds(1))
      #expect(try await store.value(of: "key") == nil, "\(lifetime)")
    }
    try await store.set("key", to: [1], lasting: .milliseconds(1400))
    try await fixture.pass(.milliseconds(1399))
    #expect(try await store.value(of: "key") == [1])
    try await fixture.pass(.milliseconds(1))
    #expect(try await store.value(of: "key") == nil)
  }
  Clause("no-lifetime", "a lifetime that is not greater than zero is an error, and changes nothing")
  { fixture in
    let store = fixture.store
    try await store.set("key", to: [1], lasting: nil)
    for lifetime in [Duration.zero, .nanoseconds(-1), .seconds(-5), .seconds(-1e20)] {
      await #expect(throws: ExpiringStoreError.invalidLifetime(key: "key", lifetime)) {
        try await store.set("key", to: [2], lasting: lifetime)
      }
      await #expect(throws: ExpiringStoreError.invalidLifetime(key: "new", lifetime)) {
        try await store.create("new", [2], lasting: lifetime)
      }
      #expect(try await store.value(of: "key") == [1], "\(lifetime)")
      #expect(try await store.value(of: "new") == nil, "\(lifetime)")
    }
  }
  Clause(
    "set-ends-lifetime",
    "a value that is set without a lifetime has none, whatever the one before had"
  ) { fixture in
    try await fixture.store.set("key", to: [1], lasting: .milliseconds(50))
    try await fixture.store.set("key", to: [2], lasting: nil)
    try await fixture.pass(.milliseconds(60))
    #expect(try await fixture.store.value(of: "key") == [2])
  }
  Clause("set-changes-lifetime", "a value that is set has its own lifetime, shorter or longer") {
    fixture in
    let store = fixture.store
    try await store.set("longer", to: [1], lasting: .milliseconds(50))
    try await store.set("longer", to: [2], lasting: .seconds(3600))
    try await store.set("shorter", to: [1], lasting: .seconds(3600))
    try await store.set("shorter", to: [2], lasting: .milliseconds(50))
    try await store.set("ends", to: [1], lasting: nil)
    try await store.set("ends", to: [2], lasting: .milliseconds(50))
    try await fixture.pass(.milliseconds(60))
    #expect(try await store.value(of: "longer") == [2])
    #expect(try await store.value(of: "shorter") == nil)
    #expect(try await store.value(of: "ends") == nil)
  }
  Clause("failed-create-keeps-lifetime", "a creation that fails leaves the lifetime of the value") {
    fixture in
    try await fixture.store.set("key", to: [1], lasting: nil)
    await #expect(throws: ExpiringStoreError.exists(key: "key")) {
      try await fixture.store.create("key", [2], lasting: .milliseconds(50))
    }
    try await fixture.pass(.milliseconds(60))
    #expect(try await fixture.store.value(of: "key") == [1])
  }
  Clause(
    "create-over-expired", "an expired value does not hinder a creation, and leaves it no lifetime"
  ) { fixture in
    let store = fixture.store
    for key in ["a", "b", "c"] { try await store.set(key, to: [1], lasting: .milliseconds(50)) }
    try await fixture.pass(.milliseconds(50))
    try await store.create("a", [2], lasting: nil)
    try await store.create("b", [3], lasting: .seconds(3600))
    try await store.set("c", to: [4], lasting: nil)
    try await fixture.pass(.milliseconds(60))
    #expect(try await store.value(of: "a") == [2])
    #expect(try await store.value(of: "b") == [3])
    #expect(try await store.value(of: "c") == [4])
  }
  Clause("removal-ends-lifetime", "a key that was removed keeps no lifetime") { fixture in
    try await fixture.store.set("key", to: [1], lasting: .milliseconds(50))
    try await fixture.store.remove("key")
    try await fixture.store.create("key", [2], lasting: nil)
    try await fixture.pass(.milliseconds(60))
    #expect(try await fixture.store.value(of: "key") == [2])
  }
  Clause("reading-keeps-lifetime", "reading a value makes it live neither longer nor shorter") {
    fixture in
    let store = fixture.store
    try await store.set("long", to: [2], lasting: .seconds(3600))
    for _ in 1...60 { #expect(try await store.value(of: "long") == [2]) }
    try await store.set("key", to: [1], lasting: .milliseconds(100))
    try await fixture.pass(.milliseconds(60))
    _ = try await store.value(of: "key")
    try await fixture.pass(.milliseconds(60))
    #expect(try await store.value(of: "key") == nil)
    #expect(try await store.value(of: "long") == [2])
  }
  Clause("longest-lifetime", "the longest lifetimes do not end at once") { fixture in
    let store = fixture.store
    for lifetime in [
      Duration.seconds(1e20), .seconds(Int64.max), .seconds(1 << 40), .seconds(86_400 * 365 * 100),
    ] {
      try await store.set("set", to: [1], lasting: lifetime)
      try await store.create("created", [2], lasting: lifetime)
      #expect(try await store.value(of: "set") == [1], "\(lifetime)")
      #expect(try await store.value(of: "created") == [2], "\(lifetime)")
      try await store.remove("created")
    }
  }
  Clause("many-expired", "hundreds of values expire together, and hundreds stay") { fixture in
    let store = fixture.store
    for number in 0..<300 {
      try await store.set("short \(number)", to: [1], lasting: .milliseconds(50))
      try await store.set("long \(number)", to: [2], lasting: .seconds(3600))
    }
    try await fixture.pass(.milliseconds(60))
    for number in 0..<300 {
      #expect(try await store.value(of: "short \(number)") == nil)
      #expect(try await store.value(of: "long \(number)") == [2])
    }
    for number in 0..<300 { try await store.create("short \(number)", [3], lasting: nil) }
    #expect(try await store.value(of: "short 299") == [3])
  }
}

private struct Session: Codable, Equatable, Sendable {
  var user: String
  var count: Int
  var tags: [String]
}

private struct NotEncodable: Codable, Sendable {
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: [], debugDescription: "never"))
  }
}

@ClauseBuilder<ExpiringStoreFixture> private var typeClauses: [Clause<ExpiringStoreFixture>] {
  Clause("typed-values", "a value of any type comes back equal, with its lifetime") { fixture in
    let store = fixture.store
    let session = Session(user: "é\u{301} \"\0", count: .min, tags: ["", "a"])
    try await store.create("session", session, as: .json, lasting: .seconds(3600))
    #expect(try await store.value(of: "session", as: .json) == session)
    try await store.set("number", to: 42, as: .json)
    #expect(try await store.value(of: "number", as: .json) == 42)
    try await store.set("text", to: "", as: .json, lasting: .milliseconds(50))
    try await fixture.pass(.milliseconds(60))
    #expect(try await store.value(of: "text", as: ValueCodec<String>.json) == nil)
    await #expect(throws: ExpiringStoreError.exists(key: "number")) {
      try await store.create("number", "text", as: .json)
    }
  }
  Clause("wrong-type", "a value of another type is an error that names both, and stays") {
    fixture in
    let store = fixture.store
    try await store.set("key", to: "text", as: .json)
    await #expect(throws: ExpiringStoreError.wrongType(key: "key", expected: "Int")) {
      _ = try await store.value(of: "key", as: ValueCodec<Int>.json)
    }
    #expect(try await store.value(of: "key", as: .json) == "text")
    try await store.set("bytes", to: [0xff, 0], lasting: nil)
    await #expect(throws: ExpiringStoreError.wrongType(key: "bytes", expected: "String")) {
      _ = try await store.value(of: "bytes", as: ValueCodec<String>.json)
    }
  }
  Clause("not-encodable", "a value that cannot be encoded is an error, and nothing is stored") {
    fixture in
    try await fixture.store.set("key", to: [1], lasting: nil)
    for key in ["key", "new"] {
      let error = await #expect(throws: ExpiringStoreError.self) {
        try await fixture.store.set(key, to: NotEncodable(), as: .json)
      }
      guard case .notEncodable(key, _) = error else {
        Issue.record("another error: \(String(describing: error))")
        continue
      }
    }
    #expect(try await fixture.store.value(of: "key") == [1])
    #expect(try await fixture.store.value(of: "new") == nil)
  }
}

@ClauseBuilder<ExpiringStoreFixture> private var storageClauses: [Clause<ExpiringStoreFixture>] {
  Clause(
    "too-large",
    "a value over the limit is an error, changes nothing, and one at the limit is stored"
  ) { fixture in
    let store = fixture.store
    let limit = store.maximumValueSize
    try await store.set("key", to: [1], lasting: nil)
    let error = ExpiringStoreError.valueTooLarge(key: "key", size: limit + 1, limit: limit)
    let large = [UInt8](repeating: 1, count: limit + 1)
    await #expect(throws: error) { try await store.set("key", to: large, lasting: nil) }
    await #expect(throws: error) { try await store.create("key", large, lasting: nil) }
    #expect(try await store.value(of: "key") == [1])
    try await store.set("key", to: Array(large.dropLast()), lasting: nil)
    #expect(try await store.value(of: "key")?.count == limit)
  }
  Clause(
    "unavailable",
    "a storage that cannot be used is an error of every function, and its values stay",
    requires: .failure
  ) { fixture in
    let store = fixture.store
    let setFails = try #require(fixture.setFails, "the fixture cannot make the storage fail")
    try await store.set("key", to: [1], lasting: .seconds(3600))
    try await setFails(true)
    let calls: [(String, @Sendable () async throws -> Void)] = [
      ("set", { try await store.set("key", to: [2], lasting: nil) }),
      ("create", { try await store.create("new", [2], lasting: nil) }),
      ("remove", { try await store.remove("key") }),
      ("value", { _ = try await store.value(of: "key") }),
    ]
    for (name, call) in calls {
      let error = await #expect(throws: ExpiringStoreError.self, "\(name)") { try await call() }
      guard case .unavailable? = error else {
        Issue.record("\(name): another error: \(String(describing: error))")
        continue
      }
    }
    try await setFails(false)
    #expect(try await store.value(of: "key") == [1])
    #expect(try await store.value(of: "new") == nil)
    try await store.create("new", [3], lasting: nil)
    #expect(try await store.value(of: "new") == [3])
  }
  Clause(
    "shared", "another store on the same storage sees each change, and the lifetimes",
    requires: .sharing
  ) { fixture in
    let store = fixture.store
    let reopen = try #require(fixture.reopen, "the fixture cannot open the storage again")
    let other = try await reopen()
    try await store.set("short", to: [1], lasting: .milliseconds(50))
    try await store.create("key", [2], lasting: .seconds(3600))
    #expect(try await other.value(of: "key") == [2])
    await #expect(throws: ExpiringStoreError.exists(key: "key")) {
      try await other.create("key", [3], lasting: nil)
    }
    try await other.set("key", to: [4], lasting: nil)
    #expect(try await store.value(of: "key") == [4])
    try await store.remove("key")
    #expect(try await other.value(of: "key") == nil)
    try await fixture.pass(.milliseconds(60))
    #expect(try await other.value(of: "short") == nil)
    try await other.create("short", [5], lasting: nil)
    #expect(try await store.value(of: "short") == [5])
  }
  Absence(of: .failure, "the storage cannot fail") { #expect($0.setFails == nil) }
  Absence(of: .sharing, "the storage has one user") { #expect($0.reopen == nil) }
}
