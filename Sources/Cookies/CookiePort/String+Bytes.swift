import Foundation

extension String {
  /// Calls a closure with the UTF-8 bytes, which are copied only if they aren't contiguous.
  func withBytes<Result>(_ body: (Bytes) -> Result) -> Result {
    var text = self
    return text.withUTF8 { body($0[...]) }
  }

  /// Whether both strings have the same UTF-8 bytes; `==` compares canonical equivalence instead.
  package func hasSameBytes(as other: String) -> Bool {
    // `==` is the fastest test for most unequal strings, and strings of equal bytes always pass it.
    self == other && utf8.elementsEqual(other.utf8)
  }
}

extension UInt8 {
  /// Whether the byte is a control character other than TAB, invalid in cookies (RFC 6265bis §5.6).
  package var isCookieControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

  /// Whether the byte is a space or a TAB.
  package var isCookieSpace: Bool { self == 0x20 || self == 0x09 }

  /// Whether the byte is an ASCII digit.
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// The byte, converted to lower case if it is an ASCII letter.
  package var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}

/// A part of a text's UTF-8 bytes, valid only inside `withBytes`.
typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

extension Bytes {
  /// The bytes without leading and trailing spaces and TABs.
  var trimmingSpaces: Bytes {
    var start = startIndex
    var end = endIndex
    while start < end, base[start].isCookieSpace { start += 1 }
    while start < end, base[end - 1].isCookieSpace { end -= 1 }
    return self[start..<end]
  }

  /// The first index of a byte, or `nil`. The generic search calls a function for each byte.
  func firstIndex(of byte: UInt8) -> Int? {
    guard let start = base.baseAddress else { return nil }
    let found: UnsafeMutableRawPointer? = memchr(start + startIndex, CInt(byte), count)
    return found.map { UnsafeRawPointer(start).distance(to: UnsafeRawPointer($0)) }
  }
}

extension Collection<UInt8> {
  /// Whether the bytes begin with `prefix`, ignoring the case of ASCII letters.
  package func beginsCaseInsensitively(with prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { prefix in
      zip(self, prefix).allSatisfy { $0.lowercased == $1.lowercased }
    }
  }

  /// Whether the bytes equal `other`, ignoring the case of ASCII letters.
  package func equalsCaseInsensitively(_ other: StaticString) -> Bool {
    count == other.utf8CodeUnitCount && beginsCaseInsensitively(with: other)
  }
}
