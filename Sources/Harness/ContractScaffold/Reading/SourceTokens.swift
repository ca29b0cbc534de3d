import SwiftSource

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
    text.utf8.first.map { SourceText.isIdentifier($0) || "$`".utf8.contains($0) } ?? false
  }
}

/// Splits Swift source into tokens, and skips comments.
///
/// The compiler can't do this: its tree (`-dump-parse`) has no types of parameters, and a typed tree
/// and a symbol graph exist only for a package that is built.
struct SourceTokens {
  private let source: SourceText
  private var offset = 0
  private var beginsLine = true
  private var documentation: [String] = []
  private var tokens: [SourceToken] = []

  /// The tokens of a text.
  static func tokens(of text: String) -> [SourceToken] {
    var lexer = SourceTokens(source: SourceText(text))
    lexer.run()
    return lexer.tokens
  }

  private init(source: SourceText) { self.source = source }

  private var bytes: [UInt8] { source.bytes }

  private func has(_ text: String, at start: Int) -> Bool {
    source.starts(with: text.utf8, at: start)
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
      default: take()
      }
    }
  }

  private mutating func take() {
    let end: Int
    if !SourceText.isOperator(bytes[offset]) {
      end = source.endOfToken(at: offset)
    } else if has("...", at: offset) {
      end = offset + 3
    } else {
      end = offset + (has("->", at: offset) ? 2 : 1)
    }
    let range = offset..<end
    tokens.append(
      SourceToken(
        text: String(decoding: bytes[range], as: UTF8.self), range: range,
        beginsLine: beginsLine, documentation: documentation))
    documentation = []
    beginsLine = false
    offset = end
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
