public import CookiePort
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A cookie provider over an `HTTPCookieStorage`.
///
/// Create one with `HTTPCookieStorage.provider(for:)`.
public struct FoundationCookieProvider: CookieProvider {
  private let storage: HTTPCookieStorage
  private let url: URL

  fileprivate init(_ storage: HTTPCookieStorage, url: URL) {
    self.storage = storage
    self.url = url
  }

  public func cookie(named name: String) -> NamedCookie? {
    // Foundation does not order them on Linux. RFC 6265 §5.4 sends the longest path first.
    // not mutated (comparison): two cookies of one path have no order
    cookies(named: name).max { $0.path.count < $1.path.count }.map {
      NamedCookie(
        name: $0.name, value: $0.value, path: $0.path, expires: $0.expiresDate,
        isSecure: $0.isSecure, isHTTPOnly: $0.isHTTPOnly)
    }
  }

  public func set(_ cookie: NamedCookie) throws(CookieProviderError) {
    let kept = Cookie(
      name: cookie.name, value: cookie.value, domain: url.host() ?? "", path: cookie.path,
      expires: cookie.expires, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
      creation: .now)
    guard let kept = HTTPCookie(kept) else { throw .malformed(.name, cookie.name) }
    storage.setCookie(kept)
  }

  public func deleteCookie(named name: String) {
    for cookie in cookies(named: name) { storage.deleteCookie(cookie) }
  }

  private func cookies(named name: String) -> [HTTPCookie] {
    (storage.cookies(for: url) ?? []).filter { $0.name == name }
  }
}

extension HTTPCookieStorage {
  /// Returns a provider for the cookies of one API.
  ///
  /// - Parameter url: The API's URL.
  public func provider(for url: URL) -> FoundationCookieProvider {
    FoundationCookieProvider(self, url: url)
  }
}
