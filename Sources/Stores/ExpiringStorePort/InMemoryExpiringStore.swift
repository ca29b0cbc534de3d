import SystemLocks

/// Values in memory, for tests and previews, and for caches of one process.
public final class InMemoryExpiringStore: ExpiringStore {
  private struct Entry {
    var value: [UInt8]
    /// The first instant without the value.
    var end: Duration?

    func lives(at now: Duration) -> Bool { end.map { now < $0 } ?? true }
  }

  private struct State {
    /// By the keys' bytes: texts that look alike are equal as strings.
    var entries: [[UInt8]: Entry] = [:]
    /// The number of entries after the last removal of those that had expired.
    var sweptCount = 0
    var failure: String?

    func entry(_ key: String, at now: Duration) -> Entry? {
      entries[Array(key.utf8)].flatMap { $0.lives(at: now) ? $0 : nil }
    }

    mutating func store(_ entry: Entry, for key: String, at now: Duration) {
      entries[Array(key.utf8)] = entry
      guard entries.count >= 64 + 2 * sweptCount else { return }
      entries = entries.filter { $0.value.lives(at: now) }
      sweptCount = entries.count
    }
  }

  public let maximumValueSize: Int
  private let now: @Sendable () -> Duration
  private let state = Mutex(State())

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - maximumValueSize: The most bytes of a value.
  ///   - now: The time, as a distance from any fixed instant. It must not go back.
  public init(
    maximumValueSize: Int = 8 << 20, now: @escaping @Sendable () -> Duration = StoreTime.system
  ) {
    self.maximumValueSize = maximumValueSize
    self.now = now
  }

  /// Makes each call fail with ``ExpiringStoreError/unavailable(reason:)``, until the reason is `nil`. The values stay.
  public func fail(because reason: String?) { state.withLock { $0.failure = reason } }

  /// The number of entries in memory, with those that have expired and were not removed yet.
  package var storedCount: Int { state.withLock(\.entries.count) }

  public func create(
    _ key: String, _ value: [UInt8], lasting lifetime: Duration?
  ) async throws(ExpiringStoreError) {
    try check(key, value, lasting: lifetime)
    try use { state, now throws(ExpiringStoreError) in
      if state.entry(key, at: now) != nil { throw .exists(key: key) }
      state.store(Entry(value: value, end: StoreTime.end(of: lifetime, at: now)), for: key, at: now)
    }
  }

  public func set(
    _ key: String, to value: [UInt8], lasting lifetime: Duration?
  ) async throws(ExpiringStoreError) {
    try check(key, value, lasting: lifetime)
    try use { state, now throws(ExpiringStoreError) in
      state.store(Entry(value: value, end: StoreTime.end(of: lifetime, at: now)), for: key, at: now)
    }
  }

  public func value(of key: String) async throws(ExpiringStoreError) -> [UInt8]? {
    try use { state, now throws(ExpiringStoreError) in state.entry(key, at: now)?.value }
  }

  public func remove(_ key: String) async throws(ExpiringStoreError) {
    try use { state, _ throws(ExpiringStoreError) in state.entries[Array(key.utf8)] = nil }
  }

  private func use<Value: Sendable>(
    _ body: (inout State, _ now: Duration) throws(ExpiringStoreError) -> Value
  ) throws(ExpiringStoreError) -> Value {
    let now = now()
    return try state.withLock { state -> Result<Value, ExpiringStoreError> in
      if let reason = state.failure { return .failure(.unavailable(reason: reason)) }
      do throws(ExpiringStoreError) { return .success(try body(&state, now)) } catch {
        return .failure(error)
      }
    }.get()
  }
}
