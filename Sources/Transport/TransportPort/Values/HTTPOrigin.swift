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
  public var authority: String { String(decoding: authorityBytes, as: Unicode.UTF8.self) }

  /// The same, as it goes to the wire.
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
