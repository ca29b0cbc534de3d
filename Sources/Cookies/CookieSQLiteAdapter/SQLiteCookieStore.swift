import CookiePort
import Foundation
import SystemLocks

/// A cookie store in an SQLite file, for any number of handles and processes at once.
///
/// **Durability.** A write that has returned is kept, as far as ``Durability`` says. Last-access
/// times are the exception: a lookup notes them in memory, where this handle's own operations see
/// them, and they reach the file, and so other handles, with ``flush()``, ``close()``, an eviction,
/// or the first lookup 30 s after the oldest was noted. A process that is killed loses those still
/// waiting. They are advice on what to evict first, and nothing else depends on them.
///
/// **Blocking.** Operations are synchronous, and one at a time a handle: a lock is held around each.
/// A lookup takes microseconds. A write may wait for other handles, up to the busy time-out, and for
/// the medium; a caller for whom that is too long makes it from a thread of its own.
///
/// **The file** has mode 0600 from its first moment, as have SQLite's `-wal` and `-shm` beside it.
/// Once it has been moved or deleted, nothing is kept any more: each write fails as `gone`, from the
/// next flush or, without one, from a tenth of a second later on.
/// It may be neither on a network file system nor used on both sides of a `fork()`.
public final class SQLiteCookieStore: CookieStore {
  private let table: Mutex<CookieTable?>
  private let broadcaster: CookieChangeBroadcaster
  private let now: @Sendable () -> Date

  /// The absolute path of the file.
  public let path: String

  /// What an acknowledged write survives.
  public enum Durability: Sendable, Hashable, CaseIterable {
    /// The end of the process, `SIGKILL` included (`synchronous = NORMAL`).
    case processCrash
    /// The end of the power as well, at the price of an fsync(2) for each write
    /// (`synchronous = FULL`).
    case powerLoss
  }

  /// Opens a file, or makes it; its folder has to be there.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - policy: The rules that this handle goes by.
  ///   - durability: What an acknowledged write survives.
  ///   - busyTimeout: How long to wait for other handles before an operation fails.
  ///   - now: The clock. It is read under the store's lock and may not call the store.
  /// - Throws: ``CookieStoreError/storage(_:)`` for a file that is no cookie store, is damaged, was
  ///   written by a newer version or can't be written; such a file is left as it is.
  public init(
    path: String, policy: CookiePolicy = CookiePolicy(), durability: Durability = .processCrash,
    busyTimeout: Duration = .seconds(5), now: @escaping @Sendable () -> Date = { Date() }
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

  /// Writes the last-access times that wait, ends the streams of changes, and closes the file.
  ///
  /// Any operation afterwards throws a failure of kind `closed`. A second time does nothing.
  public func close() {
    table.withLock { table in
      table?.writeAccessesIfFree(now: now())
      table = nil
    }
    broadcaster.finish()
  }

  /// Runs an operation under the lock, at the present.
  private func perform<Result: Sendable>(
    _ operation: (CookieTable, Date) throws(CookieStoreError) -> Result
  ) throws(CookieStoreError) -> Result {
    try table.withLock { table throws(CookieStoreError) in
      guard let table else {
        throw .storage(CookieStorageFailure(.closed, subject: path, detail: ""))
      }
      let now = now()
      guard (CookieDate.earliest...CookieDate.latest).contains(now) else {
        throw .storage(
          CookieStorageFailure(.other, subject: path, detail: "the clock is beyond the year 9999"))
      }
      do throws(CookieStoreError) {
        return try operation(table, now)
      } catch {
        // Damage is evidence: the file stays as it is from here on.
        if case .storage(let failure) = error, failure.kind == .corrupt { table.leaveFile() }
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

  /// Moves everything, last-access times included, into the file, synchronised by fsync(2).
  public func flush() throws(CookieStoreError) {
    try perform { table, _ throws(CookieStoreError) in try table.flush() }
  }

  public func changes() -> AsyncStream<CookieChange> { broadcaster.stream() }
}
