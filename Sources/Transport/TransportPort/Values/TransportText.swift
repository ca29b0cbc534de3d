// ASCII text helpers; locale and Unicode rules must not influence how a protocol is parsed.

// Comparisons, because the bounds of a range are compared through witnesses without optimization.
extension UInt8 {
  /// Whether the byte is allowed in a token (RFC 9110 §5.6.2).
  package var isTokenByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E:
      true
    default: false
    }
  }

  /// Whether the byte is a decimal digit.
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// Whether the byte is an ASCII letter.
  package var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7A }

  /// Whether the byte is an ASCII letter from A to Z.
  fileprivate var isUppercaseLetter: Bool { self >= 0x41 && self <= 0x5A }

  /// Whether the byte is a hexadecimal digit.
  package var isHexDigit: Bool { isDigit || (self | 0x20 >= 0x61 && self | 0x20 <= 0x66) }

  /// Whether the byte is a space or a horizontal tab.
  package var isSpace: Bool { self == 0x20 || self == 0x09 }

  /// Whether the byte is allowed in a field value: not a control character, except horizontal tab.
  ///
  /// Source: RFC 9110 §5.5.
  var isFieldValueByte: Bool { self == 0x09 || (self >= 0x20 && self != 0x7F) }
}

extension StringProtocol {
  /// Whether the text is a token: one or more token bytes.
  package var isToken: Bool { !isEmpty && !hasByte { !$0.isTokenByte } }

  /// The text with A to Z in lower case.
  package func asciiLowercased() -> String {
    // Most names are in lower case already and need no copy.
    guard hasByte(where: { $0.isUppercaseLetter }) else { return String(self) }
    return String(
      decoding: utf8.map { $0.isUppercaseLetter ? $0 | 0x20 : $0 }, as: Unicode.UTF8.self)
  }

  /// Whether a byte of the text in UTF-8 satisfies the predicate.
  func hasByte(where predicate: (UInt8) -> Bool) -> Bool {
    // On contiguous storage several times faster than through the view.
    utf8.withContiguousStorageIfAvailable { $0.contains(where: predicate) }
      ?? utf8.contains(where: predicate)
  }

  /// The text without leading and trailing spaces and tabs.
  package func trimmingSpaces() -> String {
    String(decoding: Array(utf8)[...].trimmingSpaces(), as: Unicode.UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without leading and trailing spaces and tabs.
  package func trimmingSpaces() -> ArraySlice<UInt8> {
    guard let first = firstIndex(where: { !$0.isSpace }),
      let last = lastIndex(where: { !$0.isSpace })
    else { return [] }
    return self[first...last]
  }
}

extension [UInt8] {
  /// The bytes without leading and trailing spaces and tabs; not copied if there are none.
  package var withoutOuterSpaces: [UInt8] {
    guard first?.isSpace == true || last?.isSpace == true else { return self }
    return Array(self[...].trimmingSpaces())
  }
}

extension String {
  /// Decodes the bytes of a field, as UTF-8 if valid and otherwise as ISO 8859-1.
  package init(fieldBytes bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: Unicode.UTF8.self) {
      self = text
    } else {
      self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}
