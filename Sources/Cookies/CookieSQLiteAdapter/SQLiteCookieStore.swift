import CookiePort
import Foundation
import SystemLocks

/// A cookie store in an SQLite file, which any number of handles and processes may use
/// concurrently.
///
/// **Durability.** A write that has returned survives what ``Durability`` states. The exception is
/// last-access times: a lookup buffers them in memory, where only this handle sees them. They are
/// written to the file by ``flush()``, by ``close()``, by an eviction, and by the first lookup 30 s
/// after the oldest was buffered. A killed process loses the buffered ones. They only decide which
/// cookies are evicted first.
///
/// **Blocking.** Operations are synchronous, and each handle runs one at a time under a lock. A
/// lookup takes microseconds. A write may block on other handles, up to the busy timeout, and on
/// the disk; call it from a separate thread if that is too long.
///
/// **The file** has mode 0600 from its creation, as do SQLite's `-wal` and `-shm` files next to it; opening
/// a store that other users can access takes their access away. After the file is moved or deleted, a
/// flush fails with the kind `gone`, and so does each write from 100 ms later. The file must not be on
/// a network file system, and a handle must not be used on both sides of a `fork()`.
///
/// **Damage.** Opening checks every page. A row that is not a valid cookie fails each operation that reads
/// it with the kind `corrupt`, except ``clear()``. ``salvage(path:busyTimeout:)`` keeps a copy of a damaged
/// file and repairs it.
public final class SQLiteCookieStore: CookieStore {
  private let table: Mutex<CookieTable?>
  private let broadcaster: CookieChangeBroadcaster
  private let now: @Sendable () -> Date

  /// The absolute path of the file.
  public let path: String

  /// The failures that an acknowledged write survives.
  public enum Durability: Sendable, Hashable, CaseIterable {
    /// The end of the process, including `SIGKILL` (`synchronous = NORMAL`).
    case processCrash
    /// Also a power failure, at the cost of one fsync(2) per write (`synchronous = FULL`).
    case powerLoss
  }

  /// Opens a file, or creates it in an existing directory.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - policy: The policy that this handle applies.
  ///   - durability: The failures that an acknowledged write survives.
  ///   - busyTimeout: How long an operation waits for other handles before it fails.
  ///   - now: The clock. The store calls it while it holds its lock, so it must not call the store.
  /// - Throws: ``CookieStoreError/storage(_:)`` if the file isn't a cookie store, is damaged, was written
  ///   by a newer version or can't be written; the file is then unchanged.
  public init(
    path: String, policy: CookiePolicy = CookiePolicy(), durability: Durability = .processCrash,
    busyTimeout: Duration = .seconds(5),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(CookieStoreError) {
    let broadcaster = CookieChangeBroadcaster()
    let connection = try Connection(
      opening: path, schema: .current, durability: durability, busyTimeout: busyTimeout)
    self.path = connection.path
    table = Mutex(
      try CookieTable(connection, policy: policy, broadcaster: broadcaster))
    self.broadcaster = broadcaster
    self.now = now
  }

  deinit { close() }

  /// Writes the buffered last-access times, ends the streams of changes and closes the file.
  ///
  /// Every later operation throws a failure of the kind `closed`. A second call does nothing.
  public func close() {
    table.withLock { table in
      table?.writeAccessesIfFree(now: now())
      table = nil
    }
    broadcaster.finish()
  }

  /// Runs an operation under the lock with the current time.
  private func perform<Result: Sendable>(
    _ operation: (CookieTable, Date) throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    try table.withLock { table throws(CookieStoreError) in
      guard let table else {
        throw .storage(CookieStorageFailure(.closed, subject: path, detail: ""))
      }
      let now = now()
      guard CookieDate.isValid(now) else {
        throw .storage(
          CookieStorageFailure(
            .clockOutOfRange, subject: path,
            detail: "\(now.timeIntervalSince1970) s after 1970"))
      }
      do throws(CookieStoreError) {
        return try operation(table, now)
      } catch {
        // A damaged file is preserved for analysis or repair.
        if case .storage(let failure) = error, failure.kind == .corrupt { table.preserveFile() }
        throw error
      }
    }
  }
}

// MARK: - Operations

extension SQLiteCookieStore {
  @discardableResult
  public func store(
    _ setCookie: String, from request: CookieRequest
  ) throws(CookieStoreError) -> CookieChange? {
    try perform { table, now throws(CookieStoreError) in
      try table.store(setCookie, from: request, now: now)
    }
  }

  public func cookies(for request: CookieRequest) throws(CookieStoreError) -> [Cookie] {
    try perform { table, now throws(CookieStoreError) in
      try table.cookies(for: request, now: now)
    }
  }

  public func all() throws(CookieStoreError) -> [Cookie] {
    try perform { table, now throws(CookieStoreError) in try table.all(now: now) }
  }

  public func restore(_ cookies: [Cookie]) throws(CookieStoreError) {
    try perform { table, now throws(CookieStoreError) in try table.restore(cookies, now: now) }
  }

  @discardableResult
  public func delete(_ id: Cookie.ID) throws(CookieStoreError) -> Bool {
    try perform { table, now throws(CookieStoreError) in try table.delete(id, now: now) }
  }

  // `async`, because asynchronous code would otherwise prefer the protocol's default implementation.
  @discardableResult
  public func deleteAll(under domain: String) async throws(CookieStoreError) -> Int {
    try perform { table, now throws(CookieStoreError) in
      try table.deleteAll(under: domain, now: now)
    }
  }

  public func clear() throws(CookieStoreError) {
    try perform { table, _ throws(CookieStoreError) in try table.clear() }
  }

  @discardableResult
  public func removeExpired() throws(CookieStoreError) -> Int {
    try perform { table, now throws(CookieStoreError) in try table.removeExpired(now: now) }
  }

  public func endSession() throws(CookieStoreError) {
    try perform { table, _ throws(CookieStoreError) in try table.endSession() }
  }

  /// Writes everything, including last-access times, to the file and synchronizes it with fsync(2).
  public func flush() throws(CookieStoreError) {
    try perform { table, _ throws(CookieStoreError) in try table.flush() }
  }

  public func changes() -> AsyncStream<CookieChange> { broadcaster.stream() }
}
