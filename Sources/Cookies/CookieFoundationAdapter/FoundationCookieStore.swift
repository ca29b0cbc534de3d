public import CookiePort

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A cookie store over `HTTPCookieStorage`, as an app would write it.
///
/// `HTTPCookie` parses the lines; the storage keeps and matches the cookies. The store corrects
/// none of their deviations from RFC 6265bis. The deviations on each platform are declared, clause
/// by clause, where `CookieContract` runs on this store.
public final class FoundationCookieStore: CookieStore {
  private let storage: HTTPCookieStorage
  private let broadcaster = CookieChangeBroadcaster()

  /// Creates a store over a storage.
  ///
  /// - Parameter storage: The storage; by default the one that `URLSession` shares.
  public init(_ storage: HTTPCookieStorage = .shared) {
    self.storage = storage
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
      return publish(.removed(old, .expired))
    }
    return publish(.stored(Cookie(cookie), replacing: old))
  }

  public func cookies(for request: CookieRequest) throws(CookieStoreError) -> [Cookie] {
    (storage.cookies(for: try url(of: request)) ?? []).map(Cookie.init)
  }

  public func all() -> [Cookie] { (storage.cookies ?? []).map(Cookie.init) }

  public func restore(_ cookies: [Cookie]) throws(CookieStoreError) {
    for cookie in cookies {
      guard let restored = HTTPCookie(cookie) else { throw .rejected(.notRestorable) }
      storage.setCookie(restored)
      publish(.stored(Cookie(restored), replacing: nil))
    }
  }

  @discardableResult
  public func delete(_ id: Cookie.ID) -> Bool {
    guard let found = storage.cookies?.first(where: { Cookie($0).id == id }) else { return false }
    storage.deleteCookie(found)
    publish(.removed(Cookie(found), .deleted))
    return true
  }

  public func clear() { removeAll(.deleted) { _ in true } }

  @discardableResult
  public func removeExpired() -> Int {
    // not mutated (comparison): the clock does not stand still at the time of expiry
    removeAll(.expired) { $0.expiresDate.map { $0 <= Date() } ?? false }
  }

  public func endSession() { removeAll(.sessionEnded) { $0.expiresDate == nil } }

  /// Does nothing, because the storage can't be told when to write.
  public func flush() {}

  public func changes() -> AsyncStream<CookieChange> { broadcaster.stream() }

  /// The stored cookie with the same name, domain and path.
  private func stored(like cookie: HTTPCookie) -> HTTPCookie? {
    storage.cookies?.first {
      $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
    }
  }

  @discardableResult
  private func removeAll(
    _ cause: CookieChange.Cause, where isRemoved: (HTTPCookie) -> Bool
  ) -> Int {
    let removed = (storage.cookies ?? []).filter(isRemoved)
    for cookie in removed {
      storage.deleteCookie(cookie)
      publish(.removed(Cookie(cookie), cause))
    }
    return removed.count
  }

  @discardableResult
  private func publish(_ change: CookieChange) -> CookieChange {
    broadcaster.send(change)
    return change
  }

  private func url(of request: CookieRequest) throws(CookieStoreError) -> URL {
    if let url = request.url { return url }
    throw .storage(
      CookieStorageFailure(
        .other, subject: "\(request.host)\(request.path)",
        detail: "Foundation can't parse it as a URL"))
  }
}

extension CookieRequest {
  /// The request's URL, or `nil` if Foundation can't parse it.
  var url: URL? {
    let host = host.contains(":") ? "[\(host)]" : host
    return URL(string: "\(isSecure ? "https" : "http")://\(host)\(path)")
  }
}
