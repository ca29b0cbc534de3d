import Foundation
import RecordedHistories
import Testing

@Suite struct JSONValueTests {
  static let valid: [(String, RecordedValue)] = [
    ("null", .null), (" true ", .bool(true)), ("-0", .integer(0)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9007199254740993", .integer(9_007_199_254_740_993)), ("1", .integer(1)),
    ("1e3", .integer(1000)), ("0.5", .number(0.5)),
    ("\"\\u00e9\\ud83c\\udf6a\\n\"", .string("\u{e9}\u{1f36a}\n")),
    ("[1,[],{}]", .array([.integer(1), .array([]), .object([:])])),
    ("{\"a\":{\"b\":null}}", .object(["a": .object(["b": .null])])),
  ]

  @Test(arguments: valid)
  func `valid text is read, and is written as it is read`(text: String, value: RecordedValue) throws
  {
    #expect(try RecordedValue(json: text) == value)
    #expect(try RecordedValue(json: value.json) == value)
  }

  static let invalid: [String] = [
    "", "nul", "01", "1.", "-", "1e", "+1", "\"", "\"\\x\"", "\"\\ud83c\"", "\"\u{1}\"", "[1 2]",
    "{\"a\"}", "{a:1}", "1 2", "9223372036854775808", "18446744073709551617", "1e400", "1e17",
    "9007199254740993e0", "NaN", String(repeating: "[", count: 100_000),
  ]

  @Test(arguments: invalid)
  func `invalid text is refused`(text: String) {
    #expect(throws: LinearizabilityFileError.Problem.self) { try RecordedValue(json: text) }
  }
}
