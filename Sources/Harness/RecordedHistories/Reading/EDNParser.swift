/// Reads a recorded history as Jepsen writes it, in EDN.
///
/// A file is a sequence of maps, `{:process 0, :type :invoke, :f :read, :value nil}`, in a vector or
/// not, with or without a tag such as `#jepsen.history.Op`. Jepsen's log and `history.txt` have the
/// same four values in a row: `0 :invoke :read nil`, in the log after `INFO  jepsen.util - `.
///
/// Source: the extensible data notation, github.com/edn-format/edn.
struct EDNParser: ByteParser {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  /// The number of the line at `counted`.
  private var line = 1
  private var counted = 0
  /// The open brackets around the maps.
  private var enclosing: [UInt8] = []

  /// The deepest nesting of collections.
  private static let deepest = 200

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The number of the current line, from 1.
  mutating func lineNumber() -> Int {
    while counted < position {
      if bytes[counted] == 0x0a { line += 1 }
      counted += 1
    }
    return line
  }

  /// Moves to the beginning of the next line.
  mutating func skipLine() {
    while let byte = peek, byte != 0x0a { position += 1 }
    if peek != nil { position += 1 }
  }

  /// Moves to the next map, into vectors and lists; returns whether there is one.
  mutating func findMap() throws(Problem) -> Bool {
    while true {
      try skipSpace()
      switch peek {
      case nil:
        guard enclosing.isEmpty else {
          enclosing = []
          throw .notEDN("the file ends inside a vector or list")
        }
        return false
      case UInt8(ascii: "["), UInt8(ascii: "("):
        enclosing.append(bytes[position] == UInt8(ascii: "[") ? UInt8(ascii: "]") : 0x29)
        position += 1
      case UInt8(ascii: "]"), UInt8(ascii: ")"):
        guard enclosing.popLast() == bytes[position] else {
          throw .notEDN("'\(Character(Unicode.Scalar(bytes[position])))' closes nothing")
        }
        position += 1
      default: return true
      }
    }
  }

  /// Reads the map at the current position.
  mutating func map() throws(Problem) -> RecordedLine {
    if peek == UInt8(ascii: "#"), !startsWith("#{") {
      position += 1
      _ = token()
      try skipSpace()
    }
    guard take("{") else { throw .notEDN("expected a map in braces") }
    var line = RecordedLine()
    try entries(depth: 1) { (key, value) throws(Problem) in
      guard case .string(let name) = key, name.hasPrefix(":") else { return }
      try line.set(String(name.dropFirst()), value)
    }
    line.type = Self.name(line.type)
    line.function = Self.name(line.function)
    return line
  }

  /// Reads the values of one line of Jepsen's log: process, type, function and value.
  mutating func logLine() throws(Problem) -> RecordedLine {
    var values: [RecordedValue] = []
    while values.count < 4, try hasValueOnLine() { values.append(try value(depth: 0)) }
    guard values.count >= 3 else {
      throw .notEDN("expected a process, a type, a function and a value")
    }
    var line = RecordedLine()
    line.process = values[0]
    line.type = Self.name(values[1])
    line.function = Self.name(values[2])
    line.value = values.count > 3 ? values[3] : .null
    return line
  }

  private mutating func hasValueOnLine() throws(Problem) -> Bool {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x2c || byte == 0x0d {
      position += 1
    }
    return peek != nil && peek != 0x0a
  }

  /// A keyword or a string without the keyword's colon.
  private static func name(_ value: RecordedValue?) -> RecordedValue? {
    guard case .string(let text)? = value, text.hasPrefix(":") else { return value }
    return .string(String(text.dropFirst()))
  }

  // MARK: - Values

  private func startsWith(_ text: StaticString) -> Bool {
    var copy = self
    return copy.take(text)
  }

  /// Skips white space, commas, comments and discarded values.
  private mutating func skipSpace(depth: Int = 0) throws(Problem) {
    while let byte = peek {
      if byte <= 0x20 || byte == UInt8(ascii: ",") {
        position += 1
      } else if byte == UInt8(ascii: ";") {
        skipLine()
      } else if take("#_") {
        _ = try value(depth: depth + 1)
      } else {
        return
      }
    }
  }

  private mutating func value(depth: Int) throws(Problem) -> RecordedValue {
    guard depth <= Self.deepest else {
      throw .notEDN("it is nested deeper than \(Self.deepest) levels")
    }
    try skipSpace(depth: depth)
    guard let byte = peek else { throw .notEDN("it ends where a value should follow") }
    if take("[") { return .array(try sequence(until: UInt8(ascii: "]"), depth: depth + 1)) }
    if take("(") { return .array(try sequence(until: UInt8(ascii: ")"), depth: depth + 1)) }
    if take("#{") { return .array(try sequence(until: UInt8(ascii: "}"), depth: depth + 1)) }
    if take("{") {
      var fields: [String: RecordedValue] = [:]
      try entries(depth: depth + 1) { (key, value) throws(Problem) in
        var name = key.description
        if case .string(let text) = key { name = text }
        guard fields.updateValue(value, forKey: name) == nil else { throw .repeated(field: name) }
      }
      return .object(fields)
    }
    if byte == UInt8(ascii: "\"") { return .string(try string()) }
    if take("#") {
      _ = token()
      return try value(depth: depth + 1)
    }
    if byte == UInt8(ascii: "\\") {
      position += 1
      let start = position
      position = min(position + 1, bytes.count)
      _ = token()
      return .string(try text(start..<position))
    }
    return try atom()
  }

  /// A keyword, a symbol, a number, `nil`, `true` or `false`.
  private mutating func atom() throws(Problem) -> RecordedValue {
    let start = position
    let range = token()
    guard !range.isEmpty else {
      throw .notEDN("expected a value, not '\(Character(Unicode.Scalar(bytes[start])))'")
    }
    let text = try text(range)
    switch text {
    case "nil": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    var parser = self
    parser.position = start
    if !parser.take("-") { _ = parser.take("+") }
    guard parser.digits() else { return .string(text) }
    if parser.position == position || parser.endsNumber(with: "N", at: position) {
      return try parser.number(from: start, isInteger: true)
    }
    let number = text.hasSuffix("M") ? String(text.dropLast()) : text
    guard let value = Double(number) else { throw .badNumber(text) }
    guard value.rounded() == value, value.magnitude < 0x1p53 else { return .number(value) }
    return .integer(Int(value))
  }

  private func endsNumber(with suffix: StaticString, at end: Int) -> Bool {
    var copy = self
    return copy.take(suffix) && copy.position == end
  }

  /// Moves to the end of a token.
  private mutating func token() -> Range<Int> {
    let start = position
    while let byte = peek, byte > 0x20, !Self.delimiters.contains(byte) { position += 1 }
    return start..<position
  }

  private static let delimiters = Set("[](){}\",;".utf8)

  private mutating func sequence(
    until end: UInt8, depth: Int
  ) throws(Problem) -> [RecordedValue] {
    var values: [RecordedValue] = []
    while true {
      try skipSpace(depth: depth)
      if peek == end {
        position += 1
        return values
      }
      values.append(try value(depth: depth))
    }
  }

  /// Reads the keys and values of a map after its brace.
  private mutating func entries(
    depth: Int, _ entry: (RecordedValue, RecordedValue) throws(Problem) -> Void
  ) throws(Problem) {
    while true {
      try skipSpace(depth: depth)
      if take("}") { return }
      let key = try value(depth: depth)
      try entry(key, try value(depth: depth))
    }
  }

  private mutating func string() throws(Problem) -> String {
    position += 1
    var content: [UInt8] = []
    while let byte = peek {
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard let text = String(validating: content, as: UTF8.self) else { throw notUTF8 }
        return text
      }
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      if take("n") {
        content.append(0x0a)
      } else if take("t") {
        content.append(0x09)
      } else if take("r") {
        content.append(0x0d)
      } else if take("u") {
        content += String(Unicode.Scalar(try fourDigits()).map(Character.init) ?? "\u{fffd}").utf8
      } else if let escaped = peek {
        content.append(escaped)
        position += 1
      }
    }
    throw .notEDN("it ends inside a string")
  }
}
