import Foundation
import SystemLocks

/// The in-memory fake of ``CookieStore``: a ``CookieJar`` behind a lock, with streams of its
/// changes.
///
/// Operations are synchronous, don't block on I/O and may be called from any thread.
public final class InMemoryCookieStore: CookieStore {
  private let state: Mutex<CookieJar>
  private let broadcaster = CookieChangeBroadcaster()
  private let now: @Sendable () -> Date

  /// Creates a store with the cookies and the policy of a jar.
  ///
  /// - Parameters:
  ///   - jar: The initial contents.
  ///   - now: The clock. The store calls it while it holds its lock, so it must not call the store.
  public init(_ jar: CookieJar, now: @escaping @Sendable () -> Date = { Date() }) {
    state = Mutex(jar)
    self.now = now
  }

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - policy: The policy that the store applies.
  ///   - now: The clock. The store calls it while it holds its lock, so it must not call the store.
  public convenience init(
    policy: CookiePolicy = CookiePolicy(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(CookieJar(policy: policy), now: now)
  }

  /// The current contents.
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

  // `async`, because asynchronous code would otherwise prefer the protocol's default implementation.
  @discardableResult
  public func deleteAll(under domain: String) async -> Int {
    state.withLock { $0.deleteAll(under: domain, now: now(), onChange: broadcaster.send) }
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
