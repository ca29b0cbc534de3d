/// Scheme, host and port: the unit of connection reuse, and the border that secrets do not cross.
///
/// Source: RFC 6454 §4, RFC 9110 §4.3.
public struct HTTPOrigin: Sendable, Hashable {
  /// The two schemes of HTTP.
  public enum Scheme: String, Sendable {
    case http
    case https

    /// The port that a URL of this scheme means when it names none.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// The scheme.
  public let scheme: Scheme

  /// The host in lower case; an IPv6 literal is without its brackets.
  public let host: String

  /// The port, 1 to 65,535.
  public let port: Int

  /// The value of the Host field: brackets around IPv6, no default port.
  public var authority: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[" + host + "]" : host
    return port == scheme.defaultPort ? name : name + ":" + String(port)
  }
}

extension HTTPOrigin: CustomStringConvertible {
  public var description: String { scheme.rawValue + "://" + authority }
}
