/// A JSON value. Numbers keep their text, so that none is too large or loses digits.
indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A name and its value; an object keeps the order of its members.
  struct Member: Hashable, Sendable {
    var name: String
    var value: JSON
  }

  /// Creates an object. Members without a value are omitted.
  static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  static func number(_ number: Int) -> JSON { .number(String(number)) }

  /// Reads a whole text; `nil` if it is not JSON.
  init?(_ bytes: [UInt8]) {
    guard let value = try? JSONReader.read(bytes, { try JSON(from: &$0) }) else { return nil }
    self = value
  }

  private init(from reader: inout JSONReader) throws {
    switch reader.next() {
    case UInt8(ascii: "{"):
      var members: [Member] = []
      try reader.object { members.append(Member(name: $0, value: try JSON(from: &$1))) }
      self = .object(members)
    case UInt8(ascii: "["):
      var elements: [JSON] = []
      try reader.array { elements.append(try JSON(from: &$1)) }
      self = .array(elements)
    case UInt8(ascii: "\""): self = .string(try reader.string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool(try reader.bool())
    default: self = try reader.readNull() ? .null : .number(try reader.number())
    }
  }

  /// The value with the members of every object in the order of their names.
  var sorted: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        members.map { Member(name: $0.name, value: $0.value.sorted) }
          .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    case .null, .bool, .number, .string: self
    }
  }

  /// The texts of all strings and numbers inside, in order.
  var leaves: [String] {
    switch self {
    case .null, .bool: []
    case .number(let text), .string(let text): [text]
    case .array(let elements): elements.flatMap(\.leaves)
    case .object(let members): members.flatMap(\.value.leaves)
    }
  }
}

extension JSON {
  /// Appends the value as text with two spaces for each level; without white space if it is `nil`.
  func write(to output: inout [UInt8], level: Int? = 0) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let text): output += text.utf8
    case .string(let text): Self.write(text, to: &output)
    case .array(let elements):
      Self.write(elements, "[]", to: &output, level: level) {
        $0.write(to: &$1, level: level.map { $0 + 1 })
      }
    case .object(let members):
      Self.write(members, "{}", to: &output, level: level) {
        Self.write($0.name, to: &$1)
        $1 += (level == nil ? ":" : ": ").utf8
        $0.value.write(to: &$1, level: level.map { $0 + 1 })
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ brackets: String, to output: inout [UInt8], level: Int?,
    _ write: (Element, inout [UInt8]) -> Void
  ) {
    guard !elements.isEmpty else {
      output += brackets.utf8
      return
    }
    output += brackets.utf8.prefix(1)
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      newLine(level.map { $0 + 1 }, to: &output)
      write(element, &output)
    }
    newLine(level, to: &output)
    output += brackets.utf8.suffix(1)
  }

  private static func newLine(_ level: Int?, to output: inout [UInt8]) {
    guard let level else { return }
    output.append(0x0A)
    for _ in 0..<level { output += "  ".utf8 }
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: output += [0x5C, byte]
      case 0x0A: output += [0x5C, UInt8(ascii: "n")]
      case 0..<0x20:
        output += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
