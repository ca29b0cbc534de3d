/// Tells random text from words, names, dates and identifiers that people read.
///
/// Random letters and digits change between upper case, lower case and digits at about every second
/// character; names and dates do so rarely. Entropy over the characters alone would not tell
/// `getElementsByClassName` from a key.
struct RandomWord {
  private(set) var count = 0
  private var upper = 0
  private var lower = 0
  private(set) var digits = 0
  private var hexadecimal = 0
  private var symbols = 0
  /// The pairs of neighbours of which both are letters or digits, and those of different classes.
  private var pairs = 0
  private var changes = 0
  private var isPath = true
  /// Whether every character is one of Crockford's base 32.
  private var isBase32 = true

  init(_ bytes: some Sequence<UInt8>) {
    var last = 0
    for byte in bytes {
      count += 1
      let kind: Int
      switch byte {
      case 0x30...0x39: (kind, digits) = (1, digits + 1)
      case 0x61...0x7A: (kind, lower) = (2, lower + 1)
      case 0x41...0x5A: (kind, upper) = (3, upper + 1)
      default: (kind, symbols) = (0, symbols + 1)
      }
      if byte.isHexDigit { hexadecimal += 1 }
      if !(byte.isDigit || ((0x41...0x5A).contains(byte) && !"ILOU".utf8.contains(byte))) {
        isBase32 = false
      }
      if byte.isLetter, !Self.pathCommands.contains(byte) { isPath = false }
      if kind > 0, last > 0 {
        pairs += 1
        if kind != last { changes += 1 }
      }
      last = kind
    }
  }

  /// The commands of a path in SVG, whose numbers are written between them.
  private static let pathCommands = Set("mlhvcsqtazMLHVCSQTAZe".utf8)

  /// Whether the word is hexadecimal and as long as a key or a hash.
  var isHexadecimal: Bool { count >= 32 && hexadecimal == count && digits > 0 }

  /// Whether the word is so long and random that it may be a secret although nothing names it.
  var isSuspicious: Bool {
    let alphanumerics = upper + lower + digits
    guard alphanumerics >= 20, symbols * 5 <= alphanumerics, !isPath, !isUUID, !isULID else {
      return false
    }
    let ratio = Double(changes) / Double(max(1, pairs))
    if upper > 1, lower > 1 {
      return digits > 1 ? ratio >= 0.36 : alphanumerics >= 32 && ratio >= 0.45
    }
    // One case and digits: hashes are public as often as not.
    return hexadecimal + symbols < count && digits >= 3 && ratio >= 0.27
  }

  /// Whether the word may be a secret if its name is one that secrets have.
  var isLikely: Bool {
    guard count >= 8, count <= 8_192 else { return false }
    if hexadecimal == count, count >= 16, digits > 0 { return true }
    return changes >= 2 && digits > 0 && upper + lower > 0
      || (count >= 16 && upper > 2 && lower > 2 && changes * 9 > pairs * 4)
  }

  /// 26 characters of which the first ones are a time: identifiers that sort by date.
  private var isULID: Bool { count == 26 && isBase32 }

  private var isUUID: Bool { count == 36 && symbols == 4 && hexadecimal == 32 }
}

extension RandomWord {
  /// Whether a value may be a secret if its name is one that secrets have: one word, not a date, a
  /// version, a path, or words and numbers with separators.
  static func isLikelySecret(_ value: [UInt8]) -> Bool {
    guard value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !isDate(value),
      !value.contains([0x3A, 0x2F, 0x2F])
    else { return false }
    return RandomWord(value).isLikely
  }

  /// Digits with the separators and letters of a date in ISO 8601.
  private static func isDate(_ value: [UInt8]) -> Bool {
    value.first?.isDigit == true
      && value.allSatisfy { $0.isDigit || "-:.+TZtz".utf8.contains($0) }
      && value.count { $0.isLetter } <= 2
  }
}
