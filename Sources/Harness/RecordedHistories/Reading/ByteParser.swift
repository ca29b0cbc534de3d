/// What the parsers of JSON and EDN share: a position in bytes.
protocol ByteParser {
  typealias Problem = LinearizabilityFileError.Problem

  var bytes: UnsafeBufferPointer<UInt8> { get }

  /// The offset of the next byte.
  var position: Int { get set }
}

extension ByteParser {
  /// The next byte, or `nil` at the end.
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Moves past a text, if it comes next.
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }

  /// Moves past decimal digits; returns whether there was one.
  mutating func digits() -> Bool {
    let start = position
    while let byte = peek, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
    return position > start
  }

  /// The number whose text ends at the current position.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem/badNumber(_:)`` for an integer outside 64 bits,
  ///   because rounding could make two values equal.
  func number(from start: Int, isInteger: Bool) throws(Problem) -> RecordedValue {
    let digits = bytes[start..<position]
    if isInteger {
      var value = 0
      let isNegative = digits.first == UInt8(ascii: "-")
      for byte in digits where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
        let digit = Int(byte - UInt8(ascii: "0"))
        let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, isOverflow) =
          isNegative
          ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
        guard !isTooLarge, !isOverflow else {
          throw .badNumber(String(decoding: digits, as: UTF8.self))
        }
        value = sum
      }
      return .integer(value)
    }
    let text = String(decoding: digits, as: UTF8.self)
    guard let value = Double(text), value.isFinite else { throw .badNumber(text) }
    guard value.rounded() == value else { return .number(value) }
    guard value.magnitude < 0x1p53 else { throw .badNumber(text) }
    return .integer(Int(value))
  }

  /// The bytes of a range as text.
  func text(_ range: Range<Int>) throws(Problem) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else { throw notUTF8 }
    return text
  }

  var notUTF8: Problem { .badText("not UTF-8") }

  /// Reads the four hexadecimal digits of an escape.
  mutating func fourDigits() throws(Problem) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .badText("an escape without four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
