extension Cookie {
  /// Returns the value of a `Cookie` header field in octets (RFC 6265bis §5.8.3).
  ///
  /// Unlike ``header(for:)`` it restores octets that are not UTF-8.
  /// - Parameter cookies: The cookies, in the order of the header.
  /// - Returns: The field's value, or `nil` if there are no cookies.
  public static func headerOctets(for cookies: [Cookie]) -> [UInt8]? {
    header(for: cookies).map { $0.utf8.octets }
  }
}

extension CookieStore {
  /// Stores the cookie of one `Set-Cookie` header field, given in octets that need not be UTF-8.
  ///
  /// In the cookie's strings, each octet that is not part of valid UTF-8 is one of the private-use
  /// scalars U+10F780 to U+10F7FF: the octet plus 0x10F700. ``headerOctets(for:)`` restores the octet.
  /// - Parameters:
  ///   - setCookie: The field's value.
  ///   - request: The request whose response carried the field.
  /// - Returns: The change, as for ``store(_:from:)-(String,_)``.
  /// - Throws: ``CookieStoreError``, as for ``store(_:from:)-(String,_)``.
  @discardableResult
  public func store(
    _ setCookie: [UInt8], from request: CookieRequest
  ) async throws(CookieStoreError) -> CookieChange? {
    try await store(String(octets: setCookie), from: request)
  }

  /// Returns the value of the `Cookie` header field for a request in octets, or `nil` if it carries
  /// no cookie.
  ///
  /// - Parameter request: The request.
  /// - Throws: ``CookieStoreError/storage(_:)``.
  public func headerOctets(for request: CookieRequest) async throws(CookieStoreError) -> [UInt8]? {
    Cookie.headerOctets(for: try await cookies(for: request))
  }
}

/// The first two bytes in UTF-8 of the scalars that stand for octets. The third byte is 0x9E or 0x9F;
/// its lowest bit and the fourth byte hold the octet's lower seven bits.
private let escapeStart: (UInt8, UInt8) = (0xF4, 0x8F)

extension String {
  /// Creates text of octets without loss: octets that are not valid UTF-8 become scalars that stand
  /// for them. So do the octets of such a scalar itself, so that different octets make different
  /// text.
  package init(octets: [UInt8]) {
    var bytes: [UInt8] = []
    var rest = octets[...]
    while true {
      // Most octets are ASCII, which needs no validation.
      let plain = rest.prefix(while: UTF8.isASCII)
      bytes += plain
      rest = rest[plain.endIndex...]
      guard let octet = rest.first else { break }
      if let length = rest.validPrefixLength, !rest.beginsWithEscape {
        bytes += rest.prefix(length)
        rest = rest.dropFirst(length)
      } else {
        bytes += [escapeStart.0, escapeStart.1, 0x9E | (octet >> 6 & 1), 0x80 | (octet & 0x3F)]
        rest = rest.dropFirst()
      }
    }
    self = String(decoding: bytes, as: UTF8.self)
  }
}

extension Collection<UInt8> {
  /// The octets for which text in UTF-8 stands.
  var octets: [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(count)
    var rest = self[...]
    while let start = rest.firstIndex(of: escapeStart.0) {
      octets += rest[..<start]
      rest = rest[start...]
      if rest.beginsWithEscape {
        let tail = Array(rest.prefix(4).suffix(2))
        octets.append(0x80 | (tail[0] & 1) << 6 | tail[1] & 0x3F)
        rest = rest.dropFirst(4)
      } else {
        octets.append(escapeStart.0)
        rest = rest.dropFirst()
      }
    }
    return octets + rest
  }

  /// The number of octets for which text in UTF-8 stands.
  var octetCount: Int { octets.count }

  /// Whether text in UTF-8 begins with a scalar that stands for an octet.
  fileprivate var beginsWithEscape: Bool {
    let start = Array(prefix(4))
    return start.count == 4 && start[0] == escapeStart.0 && start[1] == escapeStart.1
      && start[2] & 0xFE == 0x9E
  }

  /// The length of the scalar outside ASCII with which the bytes begin; `nil` if it isn't valid UTF-8.
  fileprivate var validPrefixLength: Int? {
    guard let first else { return nil }
    // The first byte has as many leading ones as the scalar has bytes.
    let scalar = prefix((~first).leadingZeroBitCount)
    return String(validating: scalar, as: UTF8.self).map(\.utf8.count)
  }
}

extension Bytes {
  /// The number of octets for which text in UTF-8 stands, found with a faster search.
  var octetCount: Int { firstIndex(of: escapeStart.0) == nil ? count : octets.count }
}
