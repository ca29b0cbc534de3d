import Foundation
import HarnessSupport

/// A source file, divided into declarations and what surrounds them.
struct SourceFile: Sendable {
  /// The digest of each declaration, by the line and column where it starts.
  let declarations: [Position: String]

  /// The digest of the file without the declarations. White space counts as one space, so that another
  /// declaration changes nothing here.
  let surroundings: String

  /// Where Swift says that a call is: at its arguments, from 1. Columns count UTF-8 bytes.
  struct Position: Hashable, Sendable {
    var line: Int
    var column: Int
  }

  /// Divides a file.
  ///
  /// If a declaration's end is not certain, the file is not divided: the whole file surrounds each
  /// declaration, so that every change in it concerns all of them.
  /// - Parameters:
  ///   - data: The file.
  ///   - starts: Where calls declare something.
  init(_ data: Data, declaring starts: Set<Position>) {
    let text = Array(data)
    guard let regions = Self.regions(in: text, starts) else {
      declarations = Dictionary(uniqueKeysWithValues: starts.map { ($0, "") })
      surroundings = Fingerprint.hexadecimal(of: text)
      return
    }
    declarations = Dictionary(
      uniqueKeysWithValues: regions.map {
        ($0.position, Fingerprint.hexadecimal(of: text[$0.range]))
      })
    surroundings = Fingerprint.hexadecimal(of: Self.rest(of: text, without: regions.map(\.range)))
  }

  private typealias Region = (position: Position, range: Range<Int>)

  /// The declarations in order, or `nil` if one is not where it should be or reaches into another.
  private static func regions(in text: [UInt8], _ starts: Set<Position>) -> [Region]? {
    var lines = [0]
    for (offset, byte) in text.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(offset + 1)
    }
    var regions: [Region] = []
    for position in starts {
      guard position.line > 0, position.line <= lines.count, position.column > 0 else { return nil }
      let start = lines[position.line - 1] + position.column - 1
      guard start < text.count, let end = CallScanner.end(ofCallAt: start, in: text) else {
        return nil
      }
      regions.append((position, CallScanner.start(ofCallAt: start, in: text)..<end))
    }
    regions.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (one, next) in zip(regions, regions.dropFirst())
    where one.range.upperBound > next.range.lowerBound { return nil }
    return regions
  }

  private static func rest(of text: [UInt8], without regions: [Range<Int>]) -> [UInt8] {
    var rest: [UInt8] = []
    var start = 0
    for end in regions.map(\.lowerBound) + [text.count] {
      for byte in text[start..<end] {
        let isSpace = byte == 0x20 || 0x09...0x0d ~= byte
        if !isSpace { rest.append(byte) } else if rest.last != 0x20 { rest.append(0x20) }
      }
      start = regions.first { $0.lowerBound == end }?.upperBound ?? end
    }
    return rest
  }
}

/// Finds where a call in Swift source ends, with its arguments and trailing closures.
///
/// It knows strings, comments and nested brackets, and no grammar beyond that. A regular expression
/// between plain slashes that contains a quotation mark or an unbalanced bracket makes it give up or go
/// too far, which ``SourceFile`` notices.
struct CallScanner {
  private let text: [UInt8]
  private var position: Int

  /// Returns the offset after a call, or `nil` if no balanced call follows.
  ///
  /// - Parameters:
  ///   - start: The offset of the called name.
  ///   - text: The source.
  static func end(ofCallAt start: Int, in text: [UInt8]) -> Int? {
    var scanner = CallScanner(text: text, position: start)
    return scanner.skipCall() ? scanner.position : nil
  }

  /// Returns the offset of the called name, for the offset of the call's arguments or of its name.
  static func start(ofCallAt offset: Int, in text: [UInt8]) -> Int {
    var start = offset
    var depth = 0
    while start > 0 {
      let byte = text[start - 1]
      if byte == UInt8(ascii: ">") { depth += 1 }
      if byte == UInt8(ascii: "<") { depth -= 1 }
      let isGeneric = depth > 0 ? byte != UInt8(ascii: "\n") : byte == UInt8(ascii: "<")
      guard byte.isInName || byte == UInt8(ascii: ".") || isGeneric, depth >= 0 else { break }
      start -= 1
    }
    return depth == 0 ? start : offset
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private func character(at offset: Int) -> UInt8? {
    position + offset < text.count ? text[position + offset] : nil
  }

  private mutating func skipCall() -> Bool {
    while let byte = current, byte != UInt8(ascii: "(") {
      // A generic argument list or `.init` may stand between the name and its arguments.
      guard byte.isInName || "<>.,: \n".utf8.contains(byte) else { return false }
      position += 1
    }
    guard skipBrackets() else { return false }
    while true {
      let end = position
      guard skipSpace() else { return false }
      if current == UInt8(ascii: "{") {
        guard skipBrackets() else { return false }
        continue
      }
      // A further trailing closure has a label.
      let name = position
      while let byte = current, byte.isInName { position += 1 }
      let isLabel = position > name && current == UInt8(ascii: ":")
      if isLabel {
        position += 1
        guard skipSpace() else { return false }
      }
      guard isLabel, current == UInt8(ascii: "{"), skipBrackets() else {
        position = end
        return true
      }
    }
  }

  /// Skips white space and comments; returns `false` for a comment without an end.
  private mutating func skipSpace() -> Bool {
    while let byte = current {
      if byte == UInt8(ascii: "/"), character(at: 1).map({ "/*".utf8.contains($0) }) == true {
        guard skipComment() else { return false }
      } else if " \t\r\n".utf8.contains(byte) {
        position += 1
      } else {
        break
      }
    }
    return true
  }

  /// Skips from an opening bracket to after the closing one.
  private mutating func skipBrackets() -> Bool {
    var closing: [UInt8] = []
    repeat {
      guard let byte = current else { return false }
      switch byte {
      case UInt8(ascii: "("): closing.append(UInt8(ascii: ")"))
      case UInt8(ascii: "["): closing.append(UInt8(ascii: "]"))
      case UInt8(ascii: "{"): closing.append(UInt8(ascii: "}"))
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard closing.popLast() == byte else { return false }
      case UInt8(ascii: "/") where character(at: 1).map({ "/*".utf8.contains($0) }) == true:
        guard skipComment() else { return false }
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "#"):
        guard skipLiteral() else { return false }
        continue
      default: break
      }
      position += 1
    } while !closing.isEmpty
    return true
  }

  private mutating func skipComment() -> Bool {
    if character(at: 1) == UInt8(ascii: "/") {
      while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
      return true
    }
    var depth = 0
    repeat {
      guard let byte = current else { return false }
      if byte == UInt8(ascii: "/"), character(at: 1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if byte == UInt8(ascii: "*"), character(at: 1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0
    return true
  }

  /// Skips a string or an extended regular expression with its number signs, or number signs alone.
  private mutating func skipLiteral() -> Bool {
    var signs = 0
    while current == UInt8(ascii: "#") {
      signs += 1
      position += 1
    }
    guard let mark = current, mark == UInt8(ascii: "\"") || signs > 0 && mark == UInt8(ascii: "/")
    else { return true }
    let isMultiline =
      mark == UInt8(ascii: "\"") && character(at: 1) == mark && character(at: 2) == mark
    position += isMultiline ? 3 : 1
    while let byte = current {
      if byte == UInt8(ascii: "\\"), hasSigns(signs, at: 1) {
        position += 1 + signs
        if mark == UInt8(ascii: "\""), current == UInt8(ascii: "(") {
          guard skipBrackets() else { return false }
        } else {
          position += 1
        }
        continue
      }
      let length = isMultiline ? 3 : 1
      let isEnd =
        (0..<length).allSatisfy { character(at: $0) == mark } && hasSigns(signs, at: length)
      if isEnd {
        position += length + signs
        return true
      }
      if byte == UInt8(ascii: "\n"), !isMultiline, mark == UInt8(ascii: "\"") { return false }
      position += 1
    }
    return false
  }

  private func hasSigns(_ count: Int, at offset: Int) -> Bool {
    (0..<count).allSatisfy { character(at: offset + $0) == UInt8(ascii: "#") }
  }
}

extension UInt8 {
  /// Whether the byte can be part of a Swift name. Every byte of a character beyond ASCII can.
  fileprivate var isInName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
