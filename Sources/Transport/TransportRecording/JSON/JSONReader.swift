/// The input is not JSON, or not the expected JSON.
struct JSONFailure: Error {
  /// The byte at which reading stopped.
  var offset: Int
  /// Where that is in the value, such as `.log.entries[3].request`.
  var path = ""
  /// What was found, and what was expected.
  var reason: String

  var description: String {
    "\(reason) at byte \(offset)\(path.isEmpty ? "" : ", in \(path.drop { $0 == "." })")"
  }
}

/// Reads JSON from left to right and builds only the values that its caller asks for.
///
/// It checks and skips the rest, so a hostile file needs no more memory than its bytes. Foundation's
/// parsers build everything, report no byte range for a value, and keep one of two members of the same
/// name. Here an object that is read must not repeat a name. A byte order mark is accepted. Source:
/// RFC 8259.
struct JSONReader {
  /// The maximum nesting of arrays and objects. The reader calls itself for each level.
  static let depthLimit = 128

  /// The maximum number of members of an object whose names must differ.
  static let memberLimit = 100_000

  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var offset = 0
  private var depth = 0

  /// Reads a whole text; only white space may follow the value.
  static func read<Value>(
    _ bytes: [UInt8], _ body: (inout JSONReader) throws -> Value
  ) throws -> Value {
    try bytes.withUnsafeBufferPointer { buffer in
      var reader = JSONReader(bytes: buffer)
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.offset = 3 }
      let value = try body(&reader)
      guard reader.next() == nil else { throw reader.failure("text after the end of the value") }
      return value
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Creates an error at the current position.
  func failure(_ reason: String) -> JSONFailure {
    JSONFailure(offset: offset, reason: reason)
  }

  /// Skips white space and returns the next byte without consuming it; `nil` at the end.
  mutating func next() -> UInt8? {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return bytes[offset]
      }
    }
    return nil
  }

  /// The bytes from an earlier position to the current one.
  func bytes(from start: Int) -> [UInt8] { Array(bytes[start..<offset]) }

  /// The byte at an earlier position.
  func byte(at position: Int) -> UInt8 { bytes[position] }

  /// Reads `null` if it comes next.
  mutating func readNull() throws -> Bool {
    guard next() == UInt8(ascii: "n") else { return false }
    try word("null")
    return true
  }

  /// Reads an object; `member` reads or skips the value of each name.
  ///
  /// - Throws: ``JSONFailure`` if a name in `unique` comes twice.
  mutating func object(
    unique: Bool = true, _ member: (String, inout JSONReader) throws -> Void
  ) throws {
    try enter(UInt8(ascii: "{"), "an object")
    defer { depth -= 1 }
    var names: Set<String> = []
    var separator = UInt8(ascii: "}")
    while next() != UInt8(ascii: "}") || separator == UInt8(ascii: ",") {
      let name = try string()
      guard !unique || names.insert(name).inserted else {
        throw failure("the name \(name.prefix(60).debugDescription) comes twice in one object")
      }
      guard names.count <= Self.memberLimit else {
        throw failure("an object with more than \(Self.memberLimit) members")
      }
      guard next() == UInt8(ascii: ":") else { throw failure("no colon after a name") }
      offset += 1
      do { try member(name, &self) } catch var error as JSONFailure {
        error.path = ".\(name.prefix(60))\(error.path)"
        throw error
      }
      separator = try endOfElement(UInt8(ascii: "}"))
      guard separator == UInt8(ascii: ",") else { return }
    }
    offset += 1
  }

  /// Reads an array; `element` reads or skips each value.
  mutating func array(_ element: (Int, inout JSONReader) throws -> Void) throws {
    try enter(UInt8(ascii: "["), "an array")
    defer { depth -= 1 }
    if next() == UInt8(ascii: "]") {
      offset += 1
      return
    }
    var index = 0
    repeat {
      do { try element(index, &self) } catch var error as JSONFailure {
        error.path = "[\(index)]\(error.path)"
        throw error
      }
      index += 1
    } while try endOfElement(UInt8(ascii: "]")) == UInt8(ascii: ",")
  }

  /// Counts the elements of the array that comes next without reading them, up to a limit.
  ///
  /// It counts the commas of the array and checks nothing else; it is many times faster than reading.
  mutating func elementCount(limit: Int) -> Int {
    guard next() == UInt8(ascii: "["), let base = bytes.baseAddress else { return 0 }
    var (position, depth, count) = (offset, 0, 1)
    while position < bytes.count, count <= limit {
      switch base[position] {
      case 0x22:
        position &+= 1
        while position < bytes.count, base[position] != 0x22 {
          position &+= base[position] == 0x5C ? 2 : 1
        }
      case 0x5B, 0x7B: depth &+= 1
      case 0x5D, 0x7D:
        depth &-= 1
        if depth == 0 { return count }
      case 0x2C where depth == 1: count &+= 1
      default: break
      }
      position &+= 1
    }
    return count
  }

  /// Reads a number and returns its text.
  mutating func number() throws -> String {
    guard let first = next(), first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
      throw failure("\(found()) instead of a number")
    }
    let start = offset
    if first == UInt8(ascii: "-") { offset += 1 }
    let firstDigit = offset
    try digits()
    guard bytes[firstDigit] != UInt8(ascii: "0") || offset == firstDigit + 1 else {
      throw failure("a number with a leading zero")
    }
    if peek == UInt8(ascii: ".") {
      offset += 1
      try digits()
    }
    if let exponent = peek, exponent | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
      try digits()
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// Reads `true` or `false`.
  mutating func bool() throws -> Bool {
    let isTrue = next() == UInt8(ascii: "t")
    try word(isTrue ? "true" : "false")
    return isTrue
  }

  /// Reads and checks a value without keeping it.
  mutating func skip() throws {
    switch next() {
    case UInt8(ascii: "{"): try object(unique: false) { try $1.skip() }
    case UInt8(ascii: "["): try array { try $1.skip() }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
    case UInt8(ascii: "n"): try word("null")
    default: _ = try number()
    }
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func enter(_ opening: UInt8, _ expected: String) throws {
    guard next() == opening else { throw failure("\(found()) instead of \(expected)") }
    guard depth < Self.depthLimit else {
      throw failure("arrays and objects nested more than \(Self.depthLimit) deep")
    }
    depth += 1
    offset += 1
  }

  private mutating func endOfElement(_ closing: UInt8) throws -> UInt8 {
    guard let byte = next(), byte == closing || byte == UInt8(ascii: ",") else {
      throw failure("\(found()) instead of a comma or the end")
    }
    offset += 1
    return byte
  }

  private mutating func digits() throws {
    let start = offset
    while let byte = peek, (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw failure("\(found()) instead of a digit") }
  }

  private mutating func word(_ word: String) throws {
    guard bytes[offset...].starts(with: word.utf8) else {
      throw failure("\(found()) instead of \(word)")
    }
    offset += word.utf8.count
  }

  private func found() -> String {
    switch peek {
    case nil: "the end of the text"
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "an array"
    case UInt8(ascii: "\""): "a string"
    case UInt8(ascii: "n"): "null"
    case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): "a number"
    case let byte? where (0x21...0x7E).contains(byte): "'\(Unicode.Scalar(byte))'"
    case let byte?: "byte 0x\(String(byte, radix: 16))"
    }
  }
}

extension JSONReader {
  /// Reads a string. An escaped surrogate without its pair becomes U+FFFD.
  mutating func string() throws -> String {
    guard next() == UInt8(ascii: "\"") else { throw failure("\(found()) instead of a string") }
    offset += 1
    var text: [UInt8] = []
    while true {
      let start = offset
      skipPlain()
      guard let byte = peek else { throw failure("the text ends inside a string") }
      let plain = UnsafeBufferPointer(rebasing: bytes[start..<offset])
      if byte == UInt8(ascii: "\""), text.isEmpty {
        let decoded = try decode(plain)
        offset += 1
        return decoded
      }
      text += plain
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return try text.withUnsafeBufferPointer { try decode($0) }
      case UInt8(ascii: "\\"): try escape(into: &text)
      default: throw failure("a control character inside a string")
      }
    }
  }

  private mutating func skipPlain() {
    guard let base = bytes.baseAddress else { return }
    var position = offset
    let end = bytes.count
    while position < end {
      let byte = base[position]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      position &+= 1
    }
    offset = position
  }

  private func decode(_ text: UnsafeBufferPointer<UInt8>) throws -> String {
    guard let decoded = String(validating: text, as: UTF8.self) else {
      throw failure("a string that is not UTF-8")
    }
    return decoded
  }

  private mutating func escape(into text: inout [UInt8]) throws {
    guard let byte = peek else { throw failure("the text ends inside a string") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800...0xDBFF).contains(code), bytes[offset...].starts(with: "\\u".utf8) {
        let afterFirst = offset
        offset += 2
        let second = try hexadecimal()
        if (0xDC00...0xDFFF).contains(second) {
          code = 0x10000 + (code - 0xD800) << 10 + (second - 0xDC00)
        } else {
          offset = afterFirst
        }
      }
      text += String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8
    default: throw failure("an unknown escape inside a string")
    }
  }

  private mutating func hexadecimal() throws -> UInt32 {
    let end = offset + 4
    guard end <= bytes.count, bytes[offset..<end].allSatisfy({ Unicode.Scalar($0).isHexDigit }),
      let code = UInt32(String(decoding: bytes[offset..<end], as: UTF8.self), radix: 16)
    else { throw failure("\\u without four hexadecimal digits") }
    offset = end
    return code
  }
}

extension Unicode.Scalar {
  fileprivate var isHexDigit: Bool { properties.isASCIIHexDigit }
}
