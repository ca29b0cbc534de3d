public import CookiePort

extension CookieSpecification {
  /// A page, written as its URL, with the prefix `script:` if a script accesses the cookies.
  public struct Page: Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
  {
    /// Whether the page is requested over https.
    public var isSecure: Bool
    /// The host.
    public var host: String
    /// The path.
    public var path: String
    /// Whether a script accesses the cookies.
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

    /// Creates a page from its URL, with an optional prefix `script:`.
    ///
    /// - Parameter url: The URL.
    /// - Throws: `CookieRequestError` if the text is not a URL, or has no scheme or no valid host.
    public init(url: String) throws(CookieRequestError) {
      let isScript = url.hasPrefix("script:")
      let request = try CookieRequest(isScript ? String(url.dropFirst("script:".count)) : url)
      self.init(
        isSecure: request.isSecure, host: request.host, path: request.path, isScript: isScript)
    }

    /// Creates a page from its parts.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the page is requested over https.
    ///   - host: The host.
    ///   - path: The path.
    ///   - isScript: Whether a script accesses the cookies.
    public init(isSecure: Bool, host: String, path: String, isScript: Bool) {
      self.isSecure = isSecure
      self.host = host
      self.path = path
      self.isScript = isScript
    }

    /// Returns the port's request for the page.
    ///
    /// - Throws: `CookieRequestError` if the host is invalid.
    public func request() throws(CookieRequestError) -> CookieRequest {
      try CookieRequest(
        isSecure: isSecure, host: host, path: path, access: isScript ? .script : .http)
    }

    /// Returns the identity of a host-only cookie with the page's host and path.
    ///
    /// - Parameter name: The cookie's name.
    public func ownCookie(_ name: String) -> Cookie.ID {
      Cookie.ID(name: name, domain: host, isHostOnly: true, path: path)
    }
  }
}

extension CookieSpecification.Page {
  private enum CodingKeys: CodingKey { case isSecure, host, path, isScript }

  /// Reads the URL, or the parts of a page that has none.
  public init(from decoder: any Decoder) throws {
    if let url = try? decoder.singleValueContainer().decode(String.self) {
      try self.init(url: url)
    } else {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        isSecure: try container.decode(Bool.self, forKey: .isSecure),
        host: try container.decode(String.self, forKey: .host),
        path: try container.decode(String.self, forKey: .path),
        isScript: try container.decode(Bool.self, forKey: .isScript))
    }
  }

  /// Writes the URL, or the parts if the URL leads to another page, such as with an invalid host.
  public func encode(to encoder: any Encoder) throws {
    if let page = try? Self(url: description), page == self {
      var container = encoder.singleValueContainer()
      try container.encode(description)
    } else {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(isSecure, forKey: .isSecure)
      try container.encode(host, forKey: .host)
      try container.encode(path, forKey: .path)
      try container.encode(isScript, forKey: .isScript)
    }
  }
}
