extension String {
  /// Reads the octets in UTF-8, without a copy where they lie in one piece.
  func withOctets<Result>(_ body: (Octets) -> Result) -> Result {
    var text = self
    return text.withUTF8 { body($0[...]) }
  }

  /// Whether both strings are the same octets in UTF-8; `==` would take canonical equivalents.
  package func hasSameOctets(as other: String) -> Bool {
    // Strings of the same octets are always canonically equivalent, and telling most strings apart
    // by `==` is the fastest way.
    self == other && utf8.elementsEqual(other.utf8)
  }
}

extension UInt8 {
  /// Whether it is a control character that no cookie may hold: any but TAB (RFC 6265bis §5.6).
  package var isCookieControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

  /// Whether it is a space or a TAB.
  package var isCookieSpace: Bool { self == 0x20 || self == 0x09 }

  /// Whether it is an ASCII digit.
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// The ASCII letter in lower case; any other octet as it is.
  package var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}

/// A part of a text in UTF-8, valid as long as the text's octets are borrowed.
typealias Octets = Slice<UnsafeBufferPointer<UInt8>>

extension Octets {
  /// The octets without leading and trailing spaces and TABs.
  var trimmingSpaces: Octets {
    var start = startIndex
    var end = endIndex
    while start < end, base[start].isCookieSpace { start += 1 }
    while start < end, base[end - 1].isCookieSpace { end -= 1 }
    return self[start..<end]
  }
}

extension Collection<UInt8> {
  /// Whether the octets begin with `prefix`, ASCII letters of either case alike.
  package func beginsCaseInsensitively(with prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { prefix in
      zip(self, prefix).allSatisfy { $0.lowercased == $1.lowercased }
    }
  }

  /// Whether the octets are `other`, ASCII letters of either case alike.
  package func equalsCaseInsensitively(_ other: StaticString) -> Bool {
    count == other.utf8CodeUnitCount && beginsCaseInsensitively(with: other)
  }
}
