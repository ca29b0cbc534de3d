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

  /// The bytes of ``authority``, built without intermediate strings, because each request needs them.
  var authorityBytes: [UInt8] {
    var host = host
    return host.withUTF8 { name in
      // Two brackets, a colon and five digits.
      [UInt8](unsafeUninitializedCapacity: name.count + 8) { bytes, count in
        func append(_ byte: UInt8) {
          bytes[count] = byte
          count += 1
        }
        let isAddress = name.contains(UInt8(ascii: ":"))
        if isAddress { append(UInt8(ascii: "[")) }
        for byte in name { append(byte) }
        if isAddress { append(UInt8(ascii: "]")) }
        guard port != scheme.defaultPort else { return }
        append(UInt8(ascii: ":"))
        var power = 10_000
        while power > max(1, port) { power /= 10 }
        while power > 0 {
          append(UInt8(ascii: "0") + UInt8(port / power % 10))
          power /= 10
        }
      }
    }
  }
}

extension HTTPOrigin: CustomStringConvertible {
  public var description: String { scheme.rawValue + "://" + authority }
}
