import Foundation

/// How values become bytes and bytes values.
public struct ValueCodec<Value: Sendable>: Sendable {
  /// Encodes a value.
  public var encode: @Sendable (Value) throws -> [UInt8]
  /// Decodes a value. It throws if the bytes are none of the type.
  public var decode: @Sendable ([UInt8]) throws -> Value

  /// Creates a codec.
  public init(
    encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
  }
}

extension ValueCodec where Value: Codable {
  /// JSON (RFC 8259).
  public static var json: ValueCodec {
    ValueCodec(
      encode: { [UInt8](try JSONEncoder().encode($0)) },
      decode: { try JSONDecoder().decode(Value.self, from: Data($0)) })
  }
}

/// Values of any type.
extension ExpiringStore {
  /// Stores a value if the key has none.
  ///
  /// - Throws: As ``create(_:_:lasting:)``, and ``ExpiringStoreError/notEncodable(key:reason:)``.
  public func create<Value>(
    _ key: String, _ value: Value, as codec: ValueCodec<Value>, lasting lifetime: Duration? = nil
  ) async throws(ExpiringStoreError) {
    try await create(key, encoded(value, as: codec, for: key), lasting: lifetime)
  }

  /// Stores a value in place of any that the key has.
  ///
  /// - Throws: As ``set(_:to:lasting:)``, and ``ExpiringStoreError/notEncodable(key:reason:)``.
  public func set<Value>(
    _ key: String, to value: Value, as codec: ValueCodec<Value>, lasting lifetime: Duration? = nil
  ) async throws(ExpiringStoreError) {
    try await set(key, to: encoded(value, as: codec, for: key), lasting: lifetime)
  }

  /// The value of a key, or `nil` if there is none that lives.
  ///
  /// - Throws: As ``value(of:)``, and ``ExpiringStoreError/wrongType(key:expected:)`` if the value is of another type.
  ///   The value stays.
  public func value<Value>(
    of key: String, as codec: ValueCodec<Value>
  ) async throws(ExpiringStoreError) -> Value? {
    guard let bytes = try await value(of: key) else { return nil }
    do { return try codec.decode(bytes) } catch {
      throw .wrongType(key: key, expected: "\(Value.self)")
    }
  }

  private func encoded<Value>(
    _ value: Value, as codec: ValueCodec<Value>, for key: String
  ) throws(ExpiringStoreError) -> [UInt8] {
    do { return try codec.encode(value) } catch {
      throw .notEncodable(key: key, reason: "\(error)")
    }
  }
}
