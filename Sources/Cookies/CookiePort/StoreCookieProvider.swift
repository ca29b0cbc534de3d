import Foundation

/// A cookie provider over a cookie store.
public struct StoreCookieProvider: CookieProvider {
  private let store: any CookieStore
  private let request: CookieRequest

  /// Creates a provider for the cookies of one API.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - url: The API's URL.
  /// - Throws: ``CookieRequestError`` if the URL has no scheme or no valid host.
  public init(_ store: any CookieStore, for url: URL) throws(CookieRequestError) {
    self.store = store
    request = try CookieRequest(url)
  }

  public func cookie(named name: String) async throws(CookieProviderError) -> NamedCookie? {
    try await cookies(named: name).first.map {
      NamedCookie(
        name: $0.name, value: $0.value, path: $0.path, expires: $0.expires, isSecure: $0.isSecure,
        isHTTPOnly: $0.isHTTPOnly)
    }
  }

  public func set(_ cookie: NamedCookie) async throws(CookieProviderError) {
    try cookie.validate()
    var line = "\(cookie.name)=\(cookie.value); Path=\(cookie.path)"
    if let expires = cookie.expires { line += "; Expires=" + CookieDate.format(expires) }
    if cookie.isSecure { line += "; Secure" }
    if cookie.isHTTPOnly { line += "; HttpOnly" }
    do {
      try await store.store(line, from: request)
    } catch {
      throw .store(error)
    }
  }

  public func deleteCookie(named name: String) async throws(CookieProviderError) {
    for cookie in try await cookies(named: name) {
      do {
        try await store.delete(cookie.id)
      } catch {
        throw .store(error)
      }
    }
  }

  private func cookies(named name: String) async throws(CookieProviderError) -> [Cookie] {
    do {
      return try await store.cookies(for: request).filter { $0.name.hasSameBytes(as: name) }
    } catch {
      throw .store(error)
    }
  }
}
