/// An error of creating a ``CookieRequest``.
public enum CookieRequestError: Error, Sendable, Hashable {
  /// The text is not a URL.
  case invalidURL(String)

  /// The URL has no scheme.
  case missingScheme(String)

  /// The URL has no host.
  case missingHost(String)

  /// The host is neither a host name nor an IP address.
  case invalidHost(String)
}

extension CookieRequestError: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    switch self {
    case .invalidURL(let url):
      "'\(url)' is not a URL: write it as in https://example.com/path"
    case .missingScheme(let url):
      "'\(url)' has no scheme: begin with https:// or http://"
    case .missingHost(let url):
      "'\(url)' has no host, which cookies need: write it as in https://example.com/path"
    case .invalidHost(let host):
      "'\(host)' is neither a host name nor an IP address: remove port, user and zone identifier"
    }
  }
}
