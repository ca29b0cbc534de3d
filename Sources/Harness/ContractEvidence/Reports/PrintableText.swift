extension String {
  /// The text without what would take hold of a terminal or a page: control characters and those
  /// that turn the direction of writing become U+FFFD. Line feeds and tabs stay; other line ends
  /// become line feeds.
  package var printable: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
    var result = ""
    var isAfterReturn = false
    for scalar in unicodeScalars {
      switch scalar.value {
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

  /// The text with each of these characters in another form, whatever follows it.
  ///
  /// - Parameter forms: What takes a character's place.
  func escaping(_ forms: (Unicode.Scalar) -> String?) -> String {
    var result = ""
    for scalar in unicodeScalars {
      if let form = forms(scalar) {
        result += form
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text, cut where it is longer; the journal has all of it.
  ///
  /// - Parameter length: How many characters at most, the mark of the cut among them.
  func clipped(to length: Int) -> String {
    // A character is at least a byte, and bytes are counted at once.
    utf8.count > length && count > length ? prefix(length - 1) + "…" : self
  }

  /// Whether the text is an address that a page may link to, without a character that could end the
  /// link.
  var isWebAddress: Bool {
    (hasPrefix("https://") || hasPrefix("http://"))
      && unicodeScalars.allSatisfy { $0.value > 0x20 && !"<>[]\"'`\\|".unicodeScalars.contains($0) }
      && printable == self
  }

  /// The text as one word of a shell's command.
  var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}
