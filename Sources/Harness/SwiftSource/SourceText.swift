/// The bytes of a Swift file, with the lines and tokens in them.
package struct SourceText: Sendable {
  /// The UTF-8 text.
  package let bytes: [UInt8]

  /// The offset of the first byte of each line.
  private let lineStarts: [Int]

  package init(_ text: String) {
    let bytes = Array(text.utf8)
    self.bytes = bytes
    lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  /// The whole text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The text between two offsets.
  package subscript(range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The line of an offset, from 1.
  package func line(of offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// The column of an offset in bytes, from 1.
  package func column(of offset: Int) -> Int { offset - lineStarts[line(of: offset) - 1] + 1 }

  /// The offset of a line and a column, both from 1.
  package func offset(line: Int, column: Int) -> Int? {
    lineStarts.indices.contains(line - 1) ? lineStarts[line - 1] + column - 1 : nil
  }

  /// The lines, without newlines.
  package var lines: [String] {
    lineStarts.indices.map { index in
      let end = index + 1 < lineStarts.count ? lineStarts[index + 1] - 1 : bytes.count
      return self[lineStarts[index]..<max(lineStarts[index], end)]
    }
  }

  /// The offset after the token that begins at an offset.
  package func endOfToken(at start: Int) -> Int {
    let byte = bytes[start]
    if let end = endOfString(at: start) { return end }
    if byte == UInt8(ascii: "`") {
      return (bytes[(start + 1)...].firstIndex(of: byte) ?? bytes.count - 1) + 1
    }
    if Self.isDigit(byte) { return endOfNumber(at: start) }
    if Self.isIdentifier(byte) || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "#") {
      var end = start + 1
      while end < bytes.count, Self.isIdentifier(bytes[end]) { end += 1 }
      return end
    }
    if Self.isOperator(byte), byte != UInt8(ascii: "!"), byte != UInt8(ascii: "?") {
      return bytes[start...].firstIndex { !Self.isOperator($0) } ?? bytes.count
    }
    return start + 1
  }

  /// Numbers contain dots only before a digit: `1...x` begins with the number 1.
  private func endOfNumber(at start: Int) -> Int {
    var end = start + 1
    while end < bytes.count {
      let byte = bytes[end]
      let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      let isExponent = "eEpP".utf8.contains(bytes[end - 1]) && !isHexadecimalInteger(start, end)
      let isPoint =
        byte == UInt8(ascii: ".") && end + 1 < bytes.count && Self.isDigit(bytes[end + 1])
      guard Self.isIdentifier(byte) || isPoint || (isSign && isExponent) else { break }
      end += 1
    }
    return end
  }

  /// Whether the number so far is hexadecimal, so that an `e` in it is a digit.
  private func isHexadecimalInteger(_ start: Int, _ end: Int) -> Bool {
    end - start > 1 && bytes[start + 1] == UInt8(ascii: "x")
      && !"pP".utf8.contains(bytes[end - 1])
  }

  private func endOfString(at start: Int) -> Int? {
    var hashes = 0
    while start + hashes < bytes.count, bytes[start + hashes] == UInt8(ascii: "#") { hashes += 1 }
    let quote = UInt8(ascii: "\"")
    guard start + hashes < bytes.count, bytes[start + hashes] == quote else { return nil }
    let pounds = Array(repeating: UInt8(ascii: "#"), count: hashes)
    let isLong = starts(with: [quote, quote, quote], at: start + hashes)
    let quotes = Array(repeating: quote, count: isLong ? 3 : 1)
    var offset = start + hashes + quotes.count
    while offset < bytes.count {
      if starts(with: quotes + pounds, at: offset) { return offset + quotes.count + hashes }
      if !isLong, bytes[offset] == UInt8(ascii: "\n") { return offset }
      if starts(with: [UInt8(ascii: "\\")] + pounds, at: offset) {
        offset += 1 + hashes
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "(") else {
          offset += 1
          continue
        }
        offset = endOfInterpolation(at: offset)
      } else {
        offset += 1
      }
    }
    return bytes.count
  }

  /// The offset after the `)` that closes an interpolation, whose expression can contain strings.
  private func endOfInterpolation(at start: Int) -> Int {
    var depth = 0
    var offset = start
    while offset < bytes.count {
      if let end = endOfString(at: offset) {
        offset = end
        continue
      }
      if bytes[offset] == UInt8(ascii: "(") { depth += 1 }
      if bytes[offset] == UInt8(ascii: ")") { depth -= 1 }
      offset += 1
      if depth == 0 { break }
    }
    return offset
  }

  /// Whether bytes are at an offset.
  package func starts(with prefix: some Collection<UInt8>, at offset: Int) -> Bool {
    offset + prefix.count <= bytes.count
      && bytes[offset..<(offset + prefix.count)].elementsEqual(prefix)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether a byte belongs to names, keywords and numbers.
  package static func isIdentifier(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Whether a byte belongs to operators.
  package static func isOperator(_ byte: UInt8) -> Bool { operators[Int(byte)] }

  /// Whether a byte belongs to operators, by the byte.
  private static let operators = (0...UInt8.max).map("/=-+!*%<>&|^~?.".utf8.contains)
}
