import Synchronization

/// Values by key. This port belongs to the app, and so does its contract.
///
/// It is linearizable: each operation takes effect at one moment between its call and its return.
public protocol KeyValueStore: Sendable {
  /// The value of a key, or `nil`.
  func get(_ key: String) async throws(KeyValueError) -> String?

  /// Sets a value.
  func put(_ key: String, _ value: String) async throws(KeyValueError)

  /// Sets a value if the present one is `old`; `nil` means that there is none.
  ///
  /// - Returns: Whether it was set.
  func compareAndSet(
    _ key: String, from old: String?, to new: String
  ) async throws(KeyValueError) -> Bool

  /// Removes a value.
  ///
  /// - Returns: Whether there was one.
  func delete(_ key: String) async throws(KeyValueError) -> Bool
}

/// Why an operation has no result.
public enum KeyValueError: Error, Hashable, Sendable {
  /// The store was not reached. Nothing has changed.
  case unavailable(String)
  /// There was no answer. The operation may have happened, or may still happen.
  case outcomeUnknown(String)
}

/// The behaviour of a store.
public struct KeyValueModel: Hashable, Sendable {
  public private(set) var values: [String: String] = [:]

  public init() {}

  public mutating func put(_ key: String, _ value: String) { values[key] = value }

  public mutating func compareAndSet(_ key: String, from old: String?, to new: String) -> Bool {
    guard values[key] == old else { return false }
    values[key] = new
    return true
  }

  public mutating func delete(_ key: String) -> Bool { values.removeValue(forKey: key) != nil }
}

/// The fake: a store in memory, for tests and previews.
public final class InMemoryKeyValueStore: KeyValueStore {
  private let model = Mutex(KeyValueModel())

  public init() {}

  public func get(_ key: String) -> String? { model.withLock { $0.values[key] } }
  public func put(_ key: String, _ value: String) { model.withLock { $0.put(key, value) } }
  public func compareAndSet(_ key: String, from old: String?, to new: String) -> Bool {
    model.withLock { $0.compareAndSet(key, from: old, to: new) }
  }
  public func delete(_ key: String) -> Bool { model.withLock { $0.delete(key) } }
}
