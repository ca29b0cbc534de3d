import Foundation

/// The syntax of a recorded history, as its beginning shows.
enum RecordedSyntax {
  /// One JSON object a line.
  case json
  /// Maps in EDN.
  case edn
  /// Jepsen's log or `history.txt`: a process, a type, a function and a value a line, in EDN.
  case log

  private typealias Problem = LinearizabilityFileError.Problem

  init(of bytes: UnsafeBufferPointer<UInt8>) {
    var start = bytes.prefix(1 << 16).drop { $0 <= 0x20 }
    // A byte order mark.
    if start.starts(with: [0xef, 0xbb, 0xbf]) { start = start.dropFirst(3) }
    let first = start.first ?? UInt8(ascii: "{")
    switch first {
    case UInt8(ascii: "#"), UInt8(ascii: "("), UInt8(ascii: ";"): self = .edn
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let inside = start.drop { $0 <= 0x20 || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
      let isEDN = inside.first == UInt8(ascii: ":") || inside.first == UInt8(ascii: "#")
      self = isEDN ? .edn : .json
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      let line = String(decoding: start.prefix { $0 != 0x0a }, as: UTF8.self)
      self = Self.logged(line) != nil || line.contains("jepsen") ? .log : .json
    default: self = .json
    }
  }

  /// Calls a function with each line or map, and its line number.
  func read(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ body: (Result<RecordedLine, LinearizabilityFileError.Problem>, Int) -> Void
  ) {
    switch self {
    case .json: Self.readLines(bytes) { line, number in body(Self.parsed(line), number) }
    case .edn: Self.readMaps(bytes, body)
    case .log:
      Self.readLines(bytes) { line, number in
        let text = String(decoding: line, as: UTF8.self)
        guard var entry = Self.logged(text) else { return }
        let result = entry.withUTF8 { bytes in
          Result { () throws(Problem) in
            var parser = EDNParser(bytes)
            return try parser.logLine()
          }
        }
        body(result, number)
      }
    }
  }

  private static func parsed(_ line: UnsafeBufferPointer<UInt8>) -> Result<RecordedLine, Problem> {
    Result { () throws(Problem) in
      var parser = JSONParser(line)
      return try parser.line()
    }
  }

  /// Splits bytes at line feeds; blank lines are left out.
  private static func readLines(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
  ) {
    var rest = bytes[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    var number = 0
    while !rest.isEmpty {
      number += 1
      let line = UnsafeBufferPointer(rebasing: rest)
      let length = line.baseAddress.flatMap { base in
        memchr(base, 0x0a, line.count).map { UnsafeRawPointer($0) - UnsafeRawPointer(base) }
      }
      let end = length ?? line.count
      let content = UnsafeBufferPointer(rebasing: line[..<end])
      if !content.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { body(content, number) }
      rest = rest.dropFirst(end + 1)
    }
  }

  private static func readMaps(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Result<RecordedLine, Problem>, Int) -> Void
  ) {
    var parser = EDNParser(bytes)
    _ = parser.take("\u{feff}")
    while true {
      var number = 1
      do throws(Problem) {
        guard try parser.findMap() else { return }
        number = parser.lineNumber()
        let line = try parser.map()
        body(.success(line), number)
      } catch {
        body(.failure(error), max(number, parser.lineNumber()))
        parser.skipLine()
      }
    }
  }

  /// The part of a line of Jepsen's log that describes an event, or `nil` if it describes none.
  private static func logged(_ line: String) -> String? {
    var entry = line[...]
    if let mark = entry.range(of: "jepsen.util - ") ?? entry.range(of: "jepsen.core - ") {
      entry = entry[mark.upperBound...]
    }
    let words = entry.split(maxSplits: 2) { $0 == " " || $0 == "\t" }
    guard words.count == 3, Int(words[0]) != nil,
      [":invoke", ":ok", ":fail", ":info"].contains(words[1])
    else { return nil }
    return String(entry)
  }
}
