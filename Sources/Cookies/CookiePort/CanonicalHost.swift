import Foundation

/// A host in the canonical form that cookie matching compares (RFC 6265bis §5.1.2).
///
/// Names consist of lower-case A-labels. A trailing dot is kept, because it makes a different host.
/// An IPv4 address is written as four decimal numbers, whatever its input notation. An IPv6 address
/// is in its shortest form without brackets; zone identifiers are invalid.
package struct CanonicalHost: Sendable, Hashable {
  /// The canonical text.
  package let name: String

  /// The maximum length of a host name in bytes without its trailing dot (RFC 1035 §2.3.4).
  private static let longest = 253

  /// Creates the canonical form of a host, or returns `nil` if the text isn't one.
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

  /// Whether a canonical host is an IP address: it has a colon, or its last label is a number.
  package static func isAddress(_ host: String) -> Bool {
    var bytes = host.utf8[...]
    if bytes.last == UInt8(ascii: ".") { bytes = bytes.dropLast() }
    // Fast path: most hosts end in a letter after f, which no IPv6 address and no number but `0x`
    // does.
    if let last = bytes.last,
      last > UInt8(ascii: "f"), last != UInt8(ascii: "x")
    {
      return false
    }
    guard !bytes.contains(UInt8(ascii: ":")) else { return true }
    let label = bytes.suffix(
      from: bytes.lastIndex(of: UInt8(ascii: ".")).map {
        bytes.index(after: $0)
      } ?? bytes.startIndex)
    if label.beginsCaseInsensitively(with: "0x") {
      return label.dropFirst(2).allSatisfy { $0.isDigit || (0x61...0x66).contains($0.lowercased) }
    }
    return label.allSatisfy(\.isDigit)
  }

  /// Whether a canonical host is `localhost`, a name below it, or a loopback address.
  package static func isLoopback(_ host: String) -> Bool {
    if host == "::1" || (host.hasPrefix("127.") && isAddress(host)) { return true }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// Returns the name in lower-case ASCII: percent-decoded, with U-labels converted to A-labels.
  private static func ascii(_ text: String) -> String? {
    guard let decoded = text.removingPercentEncoding else { return nil }
    if decoded.utf8.allSatisfy(UTF8.isASCII) { return decoded.lowercased() }
    // Foundation converts U-labels (UTS 46) only as part of a URL, so a byte that ends the host in
    // a URL must be rejected before: Foundation would silently convert a shorter host.
    guard !decoded.utf8.contains(where: isForbidden),
      let host = URLComponents(string: "http://\(decoded)/")?.encodedHost
    else { return nil }
    return host.lowercased()
  }

  /// Whether the text is a host name: no forbidden bytes, no empty labels, at most `longest` bytes.
  private static func isHostName(_ text: String) -> Bool {
    let name = text.utf8.last == UInt8(ascii: ".") ? text.utf8.dropLast() : text.utf8[...]
    return name.count <= longest
      && name.allSatisfy { $0 > 0x20 && $0 < 0x7F && !isForbidden($0) }
      && name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        .allSatisfy { !$0.isEmpty }
  }

  /// Whether a text is in canonical form.
  package static func isCanonical(_ text: String) -> Bool {
    // Fast path: most hosts consist of lower-case letters, digits, hyphens and single inner dots.
    var previous = UInt8(ascii: ".")
    var isPlain = text.utf8.count <= longest
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        break
      case UInt8(ascii: ".") where previous != byte: break
      default: isPlain = false
      }
      previous = byte
    }
    if isPlain, previous != UInt8(ascii: "."), !isAddress(text) { return true }
    return CanonicalHost(text)?.name.hasSameBytes(as: text) == true
  }

  /// Whether a printable byte is invalid in a host (WHATWG URL, 'forbidden host code point').
  private static func isForbidden(_ byte: UInt8) -> Bool {
    #"#/:<>?@[\]^|%"#.utf8.contains(byte)
  }

  /// Converts an IPv4 address in any notation to four decimal numbers, or returns `nil`.
  private static func version4(_ text: String) -> String? {
    var address = in_addr()
    let plain = text.hasSuffix(".") ? String(text.dropLast()) : text
    guard inet_aton(plain, &address) != 0 else { return nil }
    let bits = UInt32(bigEndian: address.s_addr)
    let octets = [24, 16, 8, 0].map { String(UInt8(truncatingIfNeeded: bits >> $0)) }
    return octets.joined(separator: ".")
  }

  /// Converts an IPv6 address to its shortest form (WHATWG URL, 'IPv6 serializer'), or returns
  /// `nil`.
  ///
  /// It doesn't use inet_ntop(3), which writes the last 32 bits of some addresses as IPv4.
  private static func version6(_ text: String) -> String? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    let pieces = withUnsafeBytes(of: &address) { bytes in
      (0..<8).map { Int(bytes[2 * $0]) << 8 | Int(bytes[2 * $0 + 1]) }
    }
    func isZero(_ range: Range<Int>) -> Bool { pieces[range].allSatisfy { $0 == 0 } }
    func hexadecimal(_ pieces: ArraySlice<Int>) -> String {
      pieces.map { String($0, radix: 16) }.joined(separator: ":")
    }
    // `::` replaces the longest run of two or more zeros, the first one if several are equally
    // long.
    for length in stride(from: 8, to: 1, by: -1) {
      for start in 0...8 - length where isZero(start..<start + length) {
        return hexadecimal(pieces[..<start]) + "::" + hexadecimal(pieces[(start + length)...])
      }
    }
    return hexadecimal(pieces[...])
  }
}
