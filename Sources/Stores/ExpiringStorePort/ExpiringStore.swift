/// Values by key, each with an optional lifetime: a cache, sessions, one-time codes.
///
/// Every implementation satisfies `Contract.expiringStore`.
///
/// - Keys are compared by their bytes in UTF-8. Any text is a key, also the empty one.
/// - A value lives from the call that stores it until its lifetime has passed. At that instant it is gone for every
///   function, as if it had been removed.
/// - A lifetime is greater than zero. `nil` is no end.
/// - A function that throws has changed nothing.
public protocol ExpiringStore: Sendable {
  /// The most bytes of a value.
  var maximumValueSize: Int { get }

  /// Stores a value if the key has none.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - lifetime: How long it lives. Stores may round it up to whole milliseconds.
  /// - Throws: ``ExpiringStoreError``, ``ExpiringStoreError/exists(key:)`` among others if the key has a value that
  ///   lives. That value keeps its lifetime.
  func create(
    _ key: String, _ value: [UInt8], lasting lifetime: Duration?) async throws(ExpiringStoreError)

  /// Stores a value in place of any that the key has. The lifetime of the value before ends, also if the new one has
  /// none.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - lifetime: How long it lives. Stores may round it up to whole milliseconds.
  func set(
    _ key: String, to value: [UInt8], lasting lifetime: Duration?) async throws(ExpiringStoreError)

  /// The value of a key, or `nil` if there is none that lives.
  func value(of key: String) async throws(ExpiringStoreError) -> [UInt8]?

  /// Removes the value of a key, if there is one.
  func remove(_ key: String) async throws(ExpiringStoreError)
}

/// Why a function of ``ExpiringStore`` failed.
public enum ExpiringStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key has a value that lives.
  case exists(key: String)
  /// The lifetime is not greater than zero.
  case invalidLifetime(key: String, Duration)
  /// The value has more bytes than ``ExpiringStore/maximumValueSize``.
  case valueTooLarge(key: String, size: Int, limit: Int)
  /// The value of the key is no value of the type that was asked for.
  case wrongType(key: String, expected: String)
  /// The codec does not encode the value.
  case notEncodable(key: String, reason: String)
  /// The storage cannot be used now: a database that is locked or damaged, or a server that does not answer.
  case unavailable(reason: String)

  public var description: String {
    switch self {
    case .exists(let key): "the key '\(key)' has a value"
    case .invalidLifetime(let key, let lifetime):
      "the lifetime \(lifetime) for the key '\(key)' is not greater than zero"
    case .valueTooLarge(let key, let size, let limit):
      "the value for the key '\(key)' has \(size) bytes, and the store takes \(limit)"
    case .wrongType(let key, let expected): "the value of the key '\(key)' is no \(expected)"
    case .notEncodable(let key, let reason):
      "the value for the key '\(key)' cannot be encoded: \(reason)"
    case .unavailable(let reason): "the store cannot be used: \(reason)"
    }
  }
}

extension ExpiringStore {
  /// Fails if the value is too large or the lifetime is not greater than zero, as each store has to.
  public func check(
    _ key: String, _ value: [UInt8], lasting lifetime: Duration?
  ) throws(ExpiringStoreError) {
    if let lifetime, lifetime <= .zero {
      throw .invalidLifetime(key: key, lifetime)
    }
    if value.count > maximumValueSize {
      throw .valueTooLarge(key: key, size: value.count, limit: maximumValueSize)
    }
  }
}
