extension String {
  /// The text without characters that control a terminal or a page.
  ///
  /// Control characters, characters that change the direction of writing, invisible characters, and combining marks after
  /// the eighth of a row become U+FFFD. Line feeds and tabs stay; other line ends become line feeds. A joiner stays
  /// where it joins characters outside ASCII, as in emoji.
  package var printable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var result = ""
    var isAfterReturn = false
    var marks = 0
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      marks = scalar.isCombiningMark ? marks + 1 : 0
      if marks > 8 {
        if marks == 9 { result += "\u{FFFD}" }
        continue
      }
      switch scalar.value {
      case 0x200c, 0x200d:
        let joins = result.unicodeScalars.last?.isASCII == false && rest.first?.isASCII == false
        result.unicodeScalars.append(joins ? scalar : "\u{FFFD}")
      // Soft hyphen, Hangul fillers, zero-width characters, invisible operators and tags.
      case 0xad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x2060...0x2065, 0x3164,
        0xfeff, 0xffa0, 0xfff9...0xfffb, 0xe0000...0xe0fff:
        result += "\u{FFFD}"
      case 0x0d, 0x2028, 0x2029: result += "\n"
      case 0x0a where isAfterReturn: break
      case 0x09, 0x0a: result.unicodeScalars.append(scalar)
      // C0, DEL and C1; the marks, embeddings, overrides and isolates of UAX #9.
      case 0..<0x20, 0x7f...0x9f, 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
      isAfterReturn = scalar.value == 0x0d
    }
    return result
  }

  /// The text with no line that a CI system would run as a command.
  ///
  /// GitHub Actions runs a line that begins with `::`, even after white space, and one that contains
  /// `##[`. Azure Pipelines runs one with `##vso[`, TeamCity one with `##teamcity[`. A backslash
  /// breaks such a mark.
  package var inert: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "#") }) else {
      return self
    }
    // By scalars: a combining character after a mark would hide it from a comparison of characters.
    var result = UnicodeScalarView()
    var rest = unicodeScalars[...]
    var isAtStart = true
    while let scalar = rest.popFirst() {
      if scalar == ":", isAtStart, rest.first == ":" { result.append("\\") }
      result.append(scalar)
      if scalar == "#", rest.first == "#",
        rest.dropFirst().first(where: { !("a"..."z" ~= $0) }) == "["
      {
        result.append("\\")
      }
      isAtStart = scalar == "\n" || isAtStart && scalar.properties.isWhitespace
    }
    return String(result)
  }

  /// The text, truncated with an ellipsis if it is longer than `length` characters, or than eight times as many bytes.
  ///
  /// - Parameter length: The maximum number of characters, including the ellipsis.
  package func clipped(to length: Int) -> String {
    // Counting UTF-8 bytes takes constant time, and a character has at least one.
    guard utf8.count > length else { return self }
    // One character can have any number of combining marks.
    var text = self
    if text.utf8.count > length * 8 {
      text = String(decoding: text.utf8.prefix(length * 8 - 3), as: UTF8.self) + "…"
    }
    return text.count > length ? text.prefix(length - 1) + "…" : text
  }
}

extension Unicode.Scalar {
  fileprivate var isCombiningMark: Bool {
    guard value >= 0x300 else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return !(0xfe00...0xfe0f).contains(value)
    default: return false
    }
  }
}

extension IssueSummary {
  /// The source location as `Module/File.swift:12`, if it is known.
  package var location: String? { line.map { "\(file ?? "?"):\($0)" } }

  /// The source location and the message, truncated to `length` characters.
  package func text(clippedTo length: Int = .max) -> String {
    (location.map { "\($0): " } ?? "") + message.clipped(to: length)
  }
}

extension Double {
  /// A duration in seconds from a journal as a number from 0 to 10¹², so that it can be converted to
  /// an integer; 0 if it is not a number.
  package var clamped: Double { isNaN ? 0 : Swift.min(Swift.max(self, 0), 1e12) }
}
