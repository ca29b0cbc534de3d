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
    cookies(named: name).first.map {
      NamedCookie(
        name: $0.name, value: $0.value, path: $0.path, expires: $0.expiresDate,
        isSecure: $0.isSecure, isHTTPOnly: $0.isHTTPOnly)
    }
  }

  public func set(_ cookie: NamedCookie) throws(CookieProviderError) {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: cookie.name, .value: cookie.value, .path: cookie.path, .domain: url.host() ?? "",
    ]
    properties[.expires] = cookie.expires
    if cookie.isSecure { properties[.secure] = "TRUE" }
    if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    guard let cookie = HTTPCookie(properties: properties) else {
      throw .malformed(.name, cookie.name)
    }
    storage.setCookie(cookie)
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
