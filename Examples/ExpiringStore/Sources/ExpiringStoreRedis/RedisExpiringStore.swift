public import ExpiringStorePort
import Synchronization

/// Values in Redis, on this machine.
///
/// Lifetimes are rounded up to milliseconds, and end by Redis's clock.
///
/// Source: the commands SET with NX and PX, GET and DEL, https://redis.io/docs/latest/commands.
public final class RedisExpiringStore: ExpiringStore {
  public let maximumValueSize: Int
  private let port: UInt16
  private let prefix: [UInt8]
  private let limit: Duration
  private let connection = Mutex<RedisConnection?>(nil)

  /// Creates a store. It connects with the first call, and again after a call that failed.
  ///
  /// - Parameters:
  ///   - port: The server's port.
  ///   - prefix: What the keys in Redis begin with.
  ///   - limit: How long a call waits for the server.
  ///   - maximumValueSize: The most bytes of a value, up to Redis's limit of 512 MiB.
  public init(
    port: UInt16, prefix: String, limit: Duration = .seconds(5), maximumValueSize: Int = 8 << 20
  ) {
    self.port = port
    self.prefix = Array(prefix.utf8)
    self.limit = limit
    self.maximumValueSize = min(maximumValueSize, 512 << 20)
  }

  public func create(
    _ key: String, _ value: [UInt8], lasting lifetime: Duration?
  ) async throws(ExpiringStoreError) {
    try check(key, value, lasting: lifetime)
    if try send(set(key, value, lifetime) + [Array("NX".utf8)]) == nil { throw .exists(key: key) }
  }

  public func set(
    _ key: String, to value: [UInt8], lasting lifetime: Duration?
  ) async throws(ExpiringStoreError) {
    try check(key, value, lasting: lifetime)
    _ = try send(set(key, value, lifetime))
  }

  public func value(of key: String) async throws(ExpiringStoreError) -> [UInt8]? {
    try send([Array("GET".utf8), prefix + key.utf8])
  }

  public func remove(_ key: String) async throws(ExpiringStoreError) {
    _ = try send([Array("DEL".utf8), prefix + key.utf8])
  }

  /// The server's version, such as `7.0.15`.
  public func serverVersion() throws(ExpiringStoreError) -> String {
    let report = try send([Array("INFO".utf8), Array("server".utf8)]) ?? []
    let line = String(decoding: report, as: UTF8.self).split(whereSeparator: \.isNewline).first {
      $0.hasPrefix("redis_version:")
    }
    guard let line else { throw .unavailable(reason: "Redis: INFO names no version") }
    return String(line.dropFirst("redis_version:".count))
  }

  private func set(_ key: String, _ value: [UInt8], _ lifetime: Duration?) -> [[UInt8]] {
    let command = [Array("SET".utf8), prefix + key.utf8, value]
    guard let milliseconds = lifetime.flatMap(Self.milliseconds) else { return command }
    return command + [Array("PX".utf8), Array("\(milliseconds)".utf8)]
  }

  /// Whole milliseconds, rounded up, or `nil` for more than 30,000 years: Redis refuses times that do not fit.
  static func milliseconds(_ lifetime: Duration) -> Int64? {
    guard lifetime < .seconds(1_000_000_000_000) else { return nil }
    let (seconds, attoseconds) = lifetime.components
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
    return seconds * 1000 + whole + (rest > 0 ? 1 : 0)
  }

  /// Sends a command over the one connection. A call is never sent twice: the first may have arrived.
  private func send(_ command: [[UInt8]]) throws(ExpiringStoreError) -> [UInt8]? {
    try connection.withLock { connection -> Result<[UInt8]?, ExpiringStoreError> in
      do throws(ExpiringStoreError) {
        let open =
          if let connection { connection } else { try RedisConnection(port: port, limit: limit) }
        // After a failure, a late reply may come.
        connection = nil
        let reply = try open.send(command)
        connection = open
        return .success(reply)
      } catch { return .failure(error) }
    }.get()
  }
}
