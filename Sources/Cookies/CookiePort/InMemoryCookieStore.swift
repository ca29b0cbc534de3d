import Foundation
import SystemLocks

/// The fake: a ``CookieJar`` behind a lock, with a stream of its changes.
///
/// Nothing outlives the process, and nothing waits: every operation is synchronous and may be
/// called from any thread.
public final class InMemoryCookieStore: CookieStore {
  private let state: Mutex<CookieJar>
  private let broadcaster = CookieChangeBroadcaster()
  private let now: @Sendable () -> Date

  /// A store that begins with what a jar holds, and goes by its policy.
  ///
  /// - Parameters:
  ///   - jar: The first contents.
  ///   - now: The clock. It is read under the store's lock and may not call the store.
  public init(_ jar: CookieJar, now: @escaping @Sendable () -> Date = { Date() }) {
    state = Mutex(jar)
    self.now = now
  }

  /// An empty store.
  ///
  /// - Parameters:
  ///   - policy: The rules that it goes by.
  ///   - now: The clock. It is read under the store's lock and may not call the store.
  public convenience init(
    policy: CookiePolicy = CookiePolicy(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(CookieJar(policy: policy), now: now)
  }

  /// What the store holds now.
  public var jar: CookieJar { state.withLock { $0 } }

  @discardableResult
  public func store(
    _ setCookie: String, from request: CookieRequest
  ) throws(CookieStoreError) -> CookieChange? {
    try state.withLock { jar throws(CookieStoreError) in
      do throws(CookieRejection) {
        return try jar.store(
          setCookie, from: request, now: now(), onChange: broadcaster.send)
      } catch {
        throw .rejected(error)
      }
    }
  }

  public func cookies(for request: CookieRequest) -> [Cookie] {
    state.withLock { $0.cookies(for: request, now: now()) }
  }

  public func all() -> [Cookie] {
    state.withLock { $0.all(now: now()) }
  }

  public func restore(_ cookies: [Cookie]) throws(CookieStoreError) {
    try state.withLock { jar throws(CookieStoreError) in
      do throws(CookieRejection) {
        try jar.restore(cookies, now: now(), onChange: broadcaster.send)
      } catch {
        throw .rejected(error)
      }
    }
  }

  @discardableResult
  public func delete(_ id: Cookie.ID) -> Bool {
    state.withLock { $0.delete(id, now: now(), onChange: broadcaster.send) }
  }

  public func clear() {
    state.withLock { $0.clear(onChange: broadcaster.send) }
  }

  @discardableResult
  public func removeExpired() -> Int {
    state.withLock { $0.removeExpired(now: now(), onChange: broadcaster.send) }
  }

  public func endSession() {
    state.withLock { $0.endSession(onChange: broadcaster.send) }
  }

  public func flush() {}

  public func changes() -> AsyncStream<CookieChange> { broadcaster.stream() }
}
