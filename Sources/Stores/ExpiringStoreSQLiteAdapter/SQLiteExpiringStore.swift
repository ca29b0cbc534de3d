import CSQLite
public import ExpiringStorePort
import SystemLocks

/// Values in a file of SQLite, which several processes may share.
///
/// Calls wait for the disk, and up to the busy time-out for other processes. What a call has stored survives the end of the
/// process; the last calls may be lost in a power loss. Values that have expired are removed little by little, two with each
/// value that is stored.
public final class SQLiteExpiringStore: ExpiringStore {
  /// The version of the SQLite library that runs, such as `3.40.1`.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  public let maximumValueSize: Int
  private let now: @Sendable () -> Duration
  let database: Mutex<Database>

  /// Opens a file, or creates it.
  ///
  /// - Parameters:
  ///   - path: The path of the file. SQLite puts two more files beside it.
  ///   - maximumValueSize: The most bytes of a value, up to 2³⁰.
  ///   - busyTimeout: How long a call waits while another process writes.
  ///   - now: The time since the beginning of 1970, the same for all processes.
  /// - Throws: ``ExpiringStoreError/unavailable(reason:)`` if the file can't be opened, or has other contents. It stays as it
  ///   is.
  public init(
    path: String, maximumValueSize: Int = 8 << 20, busyTimeout: Duration = .seconds(5),
    now: @escaping @Sendable () -> Duration = StoreTime.system
  ) throws(ExpiringStoreError) {
    self.maximumValueSize = min(maximumValueSize, 1 << 30)
    self.now = now
    let milliseconds = StoreTime.nanoseconds(busyTimeout) / 1_000_000
    database = Mutex(try Database(path: path, busyMilliseconds: Int32(clamping: milliseconds)))
  }

  public func create(
    _ key: String, _ value: [UInt8], lasting lifetime: Duration?
  ) async throws(ExpiringStoreError) {
    try check(key, value, lasting: lifetime)
    let isNew = try use { database, now throws(ExpiringStoreError) in
      try database.store(key, value, until: end(of: lifetime, at: now), at: now, replacing: false)
    }
    if !isNew { throw .exists(key: key) }
  }

  public func set(
    _ key: String, to value: [UInt8], lasting lifetime: Duration?
  ) async throws(ExpiringStoreError) {
    try check(key, value, lasting: lifetime)
    _ = try use { database, now throws(ExpiringStoreError) in
      try database.store(key, value, until: end(of: lifetime, at: now), at: now, replacing: true)
    }
  }

  public func value(of key: String) async throws(ExpiringStoreError) -> [UInt8]? {
    try use { database, now throws(ExpiringStoreError) in try database.value(of: key, at: now) }
  }

  public func remove(_ key: String) async throws(ExpiringStoreError) {
    try use { database, _ throws(ExpiringStoreError) in try database.remove(key) }
  }

  private func end(of lifetime: Duration?, at now: Duration) -> Int64? {
    StoreTime.end(of: lifetime, at: now).map(StoreTime.nanoseconds)
  }

  private func use<Value: Sendable>(
    _ body: (inout Database, _ now: Duration) throws(ExpiringStoreError) -> Value
  ) throws(ExpiringStoreError) -> Value {
    let now = now()
    return try database.withLock { database -> Result<Value, ExpiringStoreError> in
      do throws(ExpiringStoreError) { return .success(try body(&database, now)) } catch {
        return .failure(error)
      }
    }.get()
  }
}
