public import CookiePort
import SystemLocks

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A cookie store over `HTTPCookieStorage`, as an app would write it.
///
/// Lines are parsed by `HTTPCookie`, kept and matched by the storage; nothing that these do otherwise
/// than RFC 6265bis is mended here. What that means on each platform is declared, clause by clause,
/// where `CookieContract` runs on this store.
public final class FoundationCookieStore: CookieStore {
  private let storage: HTTPCookieStorage
  private let readers = Mutex<[Int: AsyncStream<CookieChange>.Continuation]>([:])

  /// A store over a storage; by default over the one that `URLSession` shares.
  public init(_ storage: HTTPCookieStorage = .shared) {
    self.storage = storage
  }

  deinit {
    for reader in readers.withLock({ $0 }).values { reader.finish() }
  }

  @discardableResult
  public func store(
    _ setCookie: String, from request: CookieRequest
  ) throws(CookieStoreError) -> CookieChange? {
    let url = try url(of: request)
    let parsed = HTTPCookie.cookies(
      withResponseHeaderFields: ["Set-Cookie": setCookie], for: url)
    guard let cookie = parsed.first else { throw .rejected(.emptyNameAndValue) }
    let old = stored(like: cookie).map(Cookie.init)
    storage.setCookies(parsed, for: url, mainDocumentURL: nil)
    guard stored(like: cookie) != nil else {
      guard let old else { return nil }
      return tell(.removed(old, .expired))
    }
    return tell(.stored(Cookie(cookie), replacing: old))
  }

  public func cookies(for request: CookieRequest) throws(CookieStoreError) -> [Cookie] {
    (storage.cookies(for: try url(of: request)) ?? []).map(Cookie.init)
  }

  public func all() -> [Cookie] { (storage.cookies ?? []).map(Cookie.init) }

  public func restore(_ cookies: [Cookie]) throws(CookieStoreError) {
    for cookie in cookies {
      guard let restored = HTTPCookie(cookie) else { throw .rejected(.notRestorable) }
      storage.setCookie(restored)
      tell(.stored(Cookie(restored), replacing: nil))
    }
  }

  @discardableResult
  public func delete(_ id: Cookie.ID) -> Bool {
    guard let found = storage.cookies?.first(where: { Cookie($0).id == id }) else { return false }
    storage.deleteCookie(found)
    tell(.removed(Cookie(found), .deleted))
    return true
  }

  public func clear() { removeAll(.deleted) { _ in true } }

  @discardableResult
  public func removeExpired() -> Int {
    removeAll(.expired) { $0.expiresDate.map { $0 <= Date() } ?? false }
  }

  public func endSession() { removeAll(.sessionEnded) { $0.expiresDate == nil } }

  /// Does nothing: the storage writes when it sees fit.
  public func flush() {}

  public func changes() -> AsyncStream<CookieChange> {
    let (stream, reader) = AsyncStream.makeStream(of: CookieChange.self)
    let id = readers.withLock { readers in
      let id = (readers.keys.max() ?? 0) + 1
      readers[id] = reader
      return id
    }
    reader.onTermination = { [weak self] _ in self?.readers.withLock { $0[id] = nil } }
    return stream
  }

  /// The cookie that the storage has of the same name, domain and path.
  private func stored(like cookie: HTTPCookie) -> HTTPCookie? {
    storage.cookies?.first {
      $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
    }
  }

  @discardableResult
  private func removeAll(
    _ cause: CookieChange.Cause, where isGone: (HTTPCookie) -> Bool
  ) -> Int {
    let gone = (storage.cookies ?? []).filter(isGone)
    for cookie in gone {
      storage.deleteCookie(cookie)
      tell(.removed(Cookie(cookie), cause))
    }
    return gone.count
  }

  @discardableResult
  private func tell(_ change: CookieChange) -> CookieChange {
    for reader in readers.withLock({ $0 }).values { reader.yield(change) }
    return change
  }

  private func url(of request: CookieRequest) throws(CookieStoreError) -> URL {
    let host = request.host.contains(":") ? "[\(request.host)]" : request.host
    let scheme = request.isSecure ? "https" : "http"
    guard let url = URL(string: "\(scheme)://\(host)\(request.path)") else {
      throw .storage(
        CookieStorageFailure(
          .other, subject: "\(host)\(request.path)", detail: "Foundation makes no URL of it"))
    }
    return url
  }
}
