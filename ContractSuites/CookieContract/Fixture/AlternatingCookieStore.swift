import CookiePort
import Synchronization

/// Two handles to the same cookies as one store: calls alternate between the handles.
///
/// It must behave like a single handle, except that ``changes()`` reports only the first handle's.
final class AlternatingCookieStore: CookieStore {
  private let first: any CookieStore
  private let second: any CookieStore
  private let calls = Atomic<Int>(0)

  init(_ first: any CookieStore, _ second: any CookieStore) {
    self.first = first
    self.second = second
  }

  /// The handle that takes the next call.
  private var next: any CookieStore {
    calls.wrappingAdd(1, ordering: .relaxed).oldValue.isMultiple(of: 2) ? first : second
  }

  @discardableResult
  func store(
    _ setCookie: String, from request: CookieRequest
  ) async throws(CookieStoreError) -> CookieChange? {
    try await next.store(setCookie, from: request)
  }

  func cookies(for request: CookieRequest) async throws(CookieStoreError) -> [Cookie] {
    try await next.cookies(for: request)
  }

  func all() async throws(CookieStoreError) -> [Cookie] { try await next.all() }

  func restore(_ cookies: [Cookie]) async throws(CookieStoreError) {
    try await next.restore(cookies)
  }

  @discardableResult
  func delete(_ id: Cookie.ID) async throws(CookieStoreError) -> Bool { try await next.delete(id) }

  @discardableResult
  func deleteAll(under domain: String) async throws(CookieStoreError) -> Int {
    try await next.deleteAll(under: domain)
  }

  func clear() async throws(CookieStoreError) { try await next.clear() }

  @discardableResult
  func removeExpired() async throws(CookieStoreError) -> Int { try await next.removeExpired() }

  func endSession() async throws(CookieStoreError) { try await next.endSession() }

  func flush() async throws(CookieStoreError) {
    try await first.flush()
    try await second.flush()
  }

  func changes() -> AsyncStream<CookieChange> { first.changes() }
}
