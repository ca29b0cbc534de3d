import Foundation

/// A host in the form in which cookies compare it (RFC 6265bis §5.1.2).
///
/// Names are lower-case A-labels; a trailing dot is kept, as it makes a different host. An IPv4
/// address is four decimal numbers, however it was written; an IPv6 address is in its shortest form
/// without brackets. Zone identifiers are not taken.
package struct CanonicalHost: Sendable, Hashable {
  /// The host's text.
  package let name: String

  /// Longest host name in octets: 253 by RFC 1035 §2.3.4, and a trailing dot.
  private static let longest = 254

  /// The canonical form of a host, or `nil` for what is no host.
  package init?(_ text: String) {
    var text = text
    if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
      text = String(text.dropFirst().dropLast())
      guard text.utf8.contains(UInt8(ascii: ":")) else { return nil }
    }
    if text.utf8.contains(UInt8(ascii: ":")) {
      guard let address = Self.version6(text) else { return nil }
      name = address
      return
    }
    guard let plain = Self.ascii(text), Self.isHostName(plain) else { return nil }
    guard Self.isAddress(plain) else {
      name = plain
      return
    }
    guard let address = Self.version4(plain) else { return nil }
    name = address
  }

  /// Whether a canonical host is an IP address: it holds a colon, or its last label is a number.
  package static func isAddress(_ host: String) -> Bool {
    var octets = host.utf8[...]
    if octets.last == UInt8(ascii: ".") { octets = octets.dropLast() }
    // Most hosts end in a letter past f: no IPv6 address does, and no number but `0x`.
    if let last = octets.last, last > UInt8(ascii: "f"), last != UInt8(ascii: "x") { return false }
    guard !octets.contains(UInt8(ascii: ":")) else { return true }
    let label = octets.suffix(
      from: octets.lastIndex(of: UInt8(ascii: ".")).map {
        octets.index(after: $0)
      } ?? octets.startIndex)
    guard !label.isEmpty else { return false }
    if label.beginsCaseInsensitively(with: "0x") {
      return label.dropFirst(2).allSatisfy { $0.isDigit || (0x61...0x66).contains($0.lowercased) }
    }
    return label.allSatisfy(\.isDigit)
  }

  /// Whether a canonical host is this machine: `localhost`, a name below it, or loopback.
  package static func isLoopback(_ host: String) -> Bool {
    if host == "::1" || (host.hasPrefix("127.") && isAddress(host)) { return true }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// The name in lower-case ASCII, percent forms decoded and U-labels as A-labels.
  private static func ascii(_ text: String) -> String? {
    guard let decoded = text.removingPercentEncoding else { return nil }
    if decoded.utf8.allSatisfy({ $0 < 0x80 }) { return decoded.lowercased() }
    // Foundation maps U-labels by UTS 46. Nothing that would end the host may reach it.
    guard decoded.utf8.allSatisfy({ !forbidden.contains($0) }),
      let host = URLComponents(string: "http://\(decoded)/")?.encodedHost,
      host.utf8.allSatisfy({ $0 < 0x80 })
    else { return nil }
    return host.lowercased()
  }

  /// Whether the text has no octet that ends or spoils a host, no empty label, and a fit length.
  private static func isHostName(_ text: String) -> Bool {
    guard !text.isEmpty, text.utf8.count <= longest,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !forbidden.contains($0) })
    else { return false }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count > (labels.last?.isEmpty == true ? 1 : 0)
      && labels.dropLast().allSatisfy { !$0.isEmpty }
  }

  /// The octets that no host holds (WHATWG URL, 'forbidden host code point').
  private static let forbidden = Set(#"#/:<>?@[\]^|% "#.utf8)

  /// Four decimal numbers for an IPv4 address in any notation, or `nil`.
  private static func version4(_ text: String) -> String? {
    var address = in_addr()
    let plain = text.hasSuffix(".") ? String(text.dropLast()) : text
    guard inet_aton(plain, &address) != 0 else { return nil }
    let bits = UInt32(bigEndian: address.s_addr)
    return [24, 16, 8, 0].map { String((bits >> $0) & 255) }.joined(separator: ".")
  }

  /// The shortest form of an IPv6 address, all of it in hexadecimal (WHATWG URL, 'IPv6 serializer'),
  /// or `nil`.
  ///
  /// inet_ntop(3) would write the last 32 bits of some addresses as an IPv4 address.
  private static func version6(_ text: String) -> String? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    let pieces = withUnsafeBytes(of: &address) { octets in
      stride(from: 0, to: 16, by: 2).map { Int(octets[$0]) << 8 | Int(octets[$0 + 1]) }
    }
    func isZero(_ range: Range<Int>) -> Bool { pieces[range].allSatisfy { $0 == 0 } }
    func hexadecimal(_ pieces: ArraySlice<Int>) -> String {
      pieces.map { String($0, radix: 16) }.joined(separator: ":")
    }
    // The first of the longest runs of two or more zeros.
    for length in stride(from: 8, to: 1, by: -1) {
      for start in 0...8 - length where isZero(start..<start + length) {
        return hexadecimal(pieces[..<start]) + "::" + hexadecimal(pieces[(start + length)...])
      }
    }
    return hexadecimal(pieces[...])
  }
}
