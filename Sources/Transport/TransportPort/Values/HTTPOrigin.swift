/// A scheme, host and port: the scope of connection reuse and of credentials.
///
/// Source: RFC 6454 §4, RFC 9110 §4.3.
public struct HTTPOrigin: Sendable, Hashable {
  /// The two schemes of HTTP.
  public enum Scheme: String, Sendable {
    case http
    case https

    /// The port of a URL of this scheme that names no port.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// The scheme.
  public let scheme: Scheme

  /// The host in lower case; an IPv6 literal has no brackets.
  public let host: String

  /// The port, 1 to 65,535.
  public let port: Int

  /// The value of the Host field: IPv6 in brackets, no default port.
  public var authority: String { String(decoding: authorityBytes, as: Unicode.UTF8.self) }

  /// The bytes of ``authority``, built without an intermediate string.
  var authorityBytes: [UInt8] {
    let name = host.utf8
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.count + 8)
    if host.hasByte(where: { $0 == UInt8(ascii: ":") }) {
      bytes.append(UInt8(ascii: "["))
      bytes += name
      bytes.append(UInt8(ascii: "]"))
    } else {
      bytes += name
    }
    guard port != scheme.defaultPort else { return bytes }
    bytes.append(UInt8(ascii: ":"))
    bytes += String(port).utf8
    return bytes
  }
}

extension HTTPOrigin: CustomStringConvertible {
  public var description: String { scheme.rawValue + "://" + authority }
}
