/// A token of Swift source.
struct SourceToken {
  /// The token's text. `->` and `...` are one token; other punctuation is one character each.
  var text: String
  /// The offsets of its bytes.
  var range: Range<Int>
  /// Whether it is the first token of its line.
  var beginsLine: Bool
  /// The documentation comment before it, by line, without the comment's marks.
  var documentation: [String]

  /// Whether the token is a name or a keyword.
  var isWord: Bool {
    text.utf8.first.map { SourceTokens.isWordByte($0) || $0 == UInt8(ascii: "`") } ?? false
  }
}

/// Splits Swift source into tokens, and skips comments. A byte that begins no token of Swift becomes a
/// token of its own.
///
/// The compiler's own parser is no alternative: its tree (`-dump-parse`) has no types of parameters,
/// the typed tree and symbol graphs exist only for a package that builds, and SwiftPM holds its lock
/// while a command plugin runs.
struct SourceTokens {
  private let bytes: [UInt8]
  private var offset = 0
  private var beginsLine = true
  private var documentation: [String] = []
  private var tokens: [SourceToken] = []

  /// The tokens of a text.
  static func tokens(of text: String) -> [SourceToken] {
    var lexer = SourceTokens(bytes: Array(text.utf8))
    lexer.run()
    return lexer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private func has(_ text: StaticString, at start: Int) -> Bool {
    guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy {
      bytes[start + $0] == text.utf8Start[$0]
    }
  }

  private mutating func run() {
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        beginsLine = true
        offset += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"): offset += 1
      case UInt8(ascii: "/") where has("//", at: offset): skipLineComment()
      case UInt8(ascii: "/") where has("/*", at: offset): skipBlockComment()
      case UInt8(ascii: "\""): takeString(hashes: 0)
      case UInt8(ascii: "#"):
        let hashes = bytes[offset...].prefix { $0 == UInt8(ascii: "#") }.count
        if offset + hashes < bytes.count, bytes[offset + hashes] == UInt8(ascii: "\"") {
          takeString(hashes: hashes)
        } else {
          take(1 + bytes[(offset + 1)...].prefix(while: Self.isWordByte).count)
        }
      case UInt8(ascii: "`"):
        let name = bytes[(offset + 1)...].prefix { $0 != UInt8(ascii: "`") && $0 != 10 }
        take(min(name.count + 2, bytes.count - offset))
      case let byte where Self.isWordByte(byte):
        take(bytes[offset...].prefix(while: Self.isWordByte).count)
      default: take(has("...", at: offset) ? 3 : has("->", at: offset) ? 2 : 1)
      }
    }
  }

  private mutating func take(_ count: Int) {
    let range = offset..<offset + count
    tokens.append(
      SourceToken(
        text: String(decoding: bytes[range], as: UTF8.self), range: range,
        beginsLine: beginsLine, documentation: documentation))
    documentation = []
    beginsLine = false
    offset += count
  }

  private mutating func skipLineComment() {
    let line = bytes[offset...].prefix { $0 != 10 && $0 != 13 }
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("///") {
      documentation.append(Self.trimmed(text.dropFirst(3)))
    } else {
      documentation = []
    }
    offset += line.count
  }

  /// Block comments nest.
  private mutating func skipBlockComment() {
    let start = offset
    var depth = 0
    repeat {
      if has("/*", at: offset) {
        depth += 1
        offset += 2
      } else if has("*/", at: offset) {
        depth -= 1
        offset += 2
      } else {
        offset += 1
      }
    } while depth > 0 && offset < bytes.count
    let text = String(decoding: bytes[start..<min(offset, bytes.count)], as: UTF8.self)
    guard text.hasPrefix("/**"), text.hasSuffix("*/"), text.utf8.count > 4 else { return }
    documentation = text.dropFirst(3).dropLast(2).split(separator: "\n").map { line in
      let line = Self.trimmed(line)
      return line.hasPrefix("*") ? Self.trimmed(line.dropFirst()) : line
    }
  }

  /// A string literal with what is interpolated in it.
  private mutating func takeString(hashes: Int) {
    let isLong = has("\"\"\"", at: offset + hashes)
    let quotes = isLong ? 3 : 1
    var end = offset + hashes + quotes
    func isClosed(_ at: Int) -> Bool {
      at + quotes + hashes <= bytes.count
        && bytes[at..<at + quotes].allSatisfy { $0 == UInt8(ascii: "\"") }
        && bytes[(at + quotes)..<(at + quotes + hashes)].allSatisfy { $0 == UInt8(ascii: "#") }
    }
    while end < bytes.count, !isClosed(end), isLong || bytes[end] != 10 {
      end += bytes[end] == UInt8(ascii: "\\") && hashes == 0 ? 2 : 1
    }
    end = isClosed(end) ? end + quotes + hashes : end
    take(min(end, bytes.count) - offset)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
    var text = Substring(text).drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return String(text)
  }
}

extension Sequence<SourceToken> {
  /// The source of tokens on one line, without comments. Tokens that are apart in the source stay
  /// apart.
  var source: String {
    var text = ""
    var end: Int?
    for token in self {
      if let end, end < token.range.lowerBound { text += " " }
      text += token.text
      end = token.range.upperBound
    }
    return text.replacing("( ", with: "(").replacing(" )", with: ")")
  }
}
