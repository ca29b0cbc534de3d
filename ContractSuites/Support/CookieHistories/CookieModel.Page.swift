public import CookiePort

extension CookieModel {
  /// A page, written as its URL, with `script:` before it where a script asks.
  public struct Page: Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
  {
    /// Whether it is asked for over https.
    public var isSecure: Bool
    /// The host.
    public var host: String
    /// The path.
    public var path: String
    /// Whether a script asks.
    public var isScript: Bool

    public var description: String {
      let name = host.contains(":") ? "[\(host)]" : host
      return "\(isScript ? "script:" : "")\(isSecure ? "https" : "http")://\(name)\(path)"
    }

    public init(stringLiteral url: String) {
      if let page = try? Self(url: url) {
        self = page
      } else {
        self.init(isSecure: false, host: url, path: "/", isScript: false)
      }
    }

    /// A page by its URL, with `script:` before it where a script asks.
    ///
    /// - Throws: `CookieRequestError` for text that is no URL, or has no scheme or usable host.
    public init(url: String) throws(CookieRequestError) {
      let isScript = url.hasPrefix("script:")
      let request = try CookieRequest(isScript ? String(url.dropFirst("script:".count)) : url)
      self.init(
        isSecure: request.isSecure, host: request.host, path: request.path, isScript: isScript)
    }

    /// A page by its parts.
    public init(isSecure: Bool, host: String, path: String, isScript: Bool) {
      self.isSecure = isSecure
      self.host = host
      self.path = path
      self.isScript = isScript
    }

    /// The page as the port names it.
    ///
    /// - Throws: `CookieRequestError` for a host that can't be one.
    public func request() throws(CookieRequestError) -> CookieRequest {
      try CookieRequest(
        isSecure: isSecure, host: host, path: path, access: isScript ? .script : .http)
    }

    /// The identity of a cookie of the page's host alone, with the page's path.
    public func ownCookie(_ name: String) -> Cookie.ID {
      Cookie.ID(name: name, domain: host, isHostOnly: true, path: path)
    }
  }
}
