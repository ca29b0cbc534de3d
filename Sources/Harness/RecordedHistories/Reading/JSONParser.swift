/// Reads a line of a recorded history in JSON (RFC 8259).
///
/// `JSONDecoder` takes 20 times as long, because a field of a line may have any type.
struct JSONParser: ByteParser {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0

  /// The deepest nesting of arrays and objects.
  private static let deepest = 200

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads a text that is one value.
  static func value(of text: [UInt8]) throws(Problem) -> RecordedValue {
    try text.withUnsafeBufferPointer { bytes throws(Problem) in
      var parser = JSONParser(bytes)
      let value = try parser.value(depth: 0)
      try parser.end()
      return value
    }
  }

  /// Reads a line that is one object.
  mutating func line() throws(Problem) -> RecordedLine {
    skipSpace()
    guard take("{") else { throw .notJSON("expected one object in braces") }
    var line = RecordedLine()
    try object(depth: 1) { (key, parser) throws(Problem) in
      try line.set(key, try parser.value(depth: 1))
    }
    try end()
    return line
  }

  private mutating func end() throws(Problem) {
    skipSpace()
    guard position == bytes.count else { throw unexpected("the end of the line") }
  }

  /// The error for what stands at the current position.
  private func unexpected(_ wanted: String) -> Problem {
    position < bytes.count
      ? .notJSON("expected \(wanted) at column \(position + 1)")
      : .notJSON("it ends where \(wanted) should follow")
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a {
      position += 1
    }
  }

  private mutating func value(depth: Int) throws(Problem) -> RecordedValue {
    guard depth <= Self.deepest else {
      throw .notJSON("it is nested deeper than \(Self.deepest) levels")
    }
    skipSpace()
    switch peek {
    case UInt8(ascii: "\""): return .string(try string())
    case let byte? where byte == UInt8(ascii: "-") || 0x30...0x39 ~= byte: return try number()
    case UInt8(ascii: "["):
      position += 1
      return .array(try array(depth: depth + 1))
    case UInt8(ascii: "{"):
      position += 1
      var fields: [String: RecordedValue] = [:]
      try object(depth: depth + 1) { (key, parser) throws(Problem) in
        let value = try parser.value(depth: depth + 1)
        guard fields.updateValue(value, forKey: key) == nil else { throw .repeated(field: key) }
      }
      return .object(fields)
    default: break
    }
    if take("null") { return .null }
    if take("true") { return .bool(true) }
    if take("false") { return .bool(false) }
    throw unexpected("a value")
  }

  private mutating func array(depth: Int) throws(Problem) -> [RecordedValue] {
    var values: [RecordedValue] = []
    skipSpace()
    if take("]") { return values }
    while true {
      values.append(try value(depth: depth))
      skipSpace()
      if take("]") { return values }
      guard take(",") else { throw unexpected("',' or ']'") }
    }
  }

  /// Reads the members of an object after its brace.
  private mutating func object(
    depth: Int, _ member: (String, inout JSONParser) throws(Problem) -> Void
  ) throws(Problem) {
    skipSpace()
    if take("}") { return }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw unexpected("a field's name in quotes") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw unexpected("':'") }
      try member(key, &self)
      skipSpace()
      if take("}") { return }
      guard take(",") else { throw unexpected("',' or '}'") }
    }
  }

  private mutating func number() throws(Problem) -> RecordedValue {
    let start = position
    _ = take("-")
    if !take("0") { guard digits() else { throw unexpected("a digit") } }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard digits() else { throw unexpected("a digit") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      guard digits() else { throw unexpected("a digit") }
    }
    return try number(from: start, isInteger: isInteger)
  }

  private mutating func string() throws(Problem) -> String {
    position += 1
    let start = position
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if peek == UInt8(ascii: "\"") {
      defer { position += 1 }
      return try text(start..<position)
    }
    var content = Array(bytes[start..<position])
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: content, as: UTF8.self) else { throw notUTF8 }
        return text
      case UInt8(ascii: "\\"): content += try escape().utf8
      case 0..<0x20:
        position -= 1
        throw unexpected("an escape for the control character")
      default: content.append(byte)
      }
    }
    throw unexpected("the string's end")
  }

  private mutating func escape() throws(Problem) -> String {
    guard let byte = peek else { throw unexpected("an escape") }
    if byte == UInt8(ascii: "u") {
      position += 1
      return try escapedScalar()
    }
    let escapes: [UInt8: String] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
      UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{c}", UInt8(ascii: "n"): "\n",
      UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    guard let text = escapes[byte] else { throw unexpected("an escape") }
    position += 1
    return text
  }

  /// The character of the four digits after `\u`, or of two such escapes that are a surrogate pair.
  private mutating func escapedScalar() throws(Problem) -> String {
    let high = try fourDigits()
    if let scalar = Unicode.Scalar(high) { return String(Character(scalar)) }
    guard high < 0xdc00, take("\\u") else { throw unexpected("the second half of a surrogate") }
    let low = try fourDigits()
    guard 0xdc00..<0xe000 ~= low,
      let scalar = Unicode.Scalar(0x1_0000 + (high - 0xd800) << 10 + (low - 0xdc00))
    else { throw unexpected("the second half of a surrogate") }
    return String(Character(scalar))
  }
}
