import Foundation
import RecordedHistories
import SeededRandom
import Testing

@Suite struct JSONValueTests {
  static let valid: [(String, RecordedValue)] = [
    ("null", .null), (" true ", .bool(true)), ("-0", .integer(0)),
    ("9223372036854775807", .integer(.max)), ("1e3", .integer(1000)), ("0.5", .number(0.5)),
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
    "", "nul", "01", "1.", "-", "1e", "+1", "\"", "\"\\x\"", "\"\\ud83c\"", "\"\u{1}\"", "[1,]",
    "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "1 2", "9223372036854775808", "1e400", "1e17",
    "{\"a\":1,\"a\":2}", "NaN", String(repeating: "[", count: 100_000),
  ]

  @Test(arguments: invalid)
  func `invalid text is refused`(text: String) {
    #expect(throws: LinearizabilityFileError.Problem.self) { try RecordedValue(json: text) }
  }

  @Test func `agrees with Foundation on random text`() throws {
    var random = SplitMix64(seed: 1)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "1", "-2", "0.5", "true", "null", " ", "e",
      "\"\u{e9}\"", "\\",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...8, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let known =
        (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
        != nil
      let mine = (try? RecordedValue(json: text)) != nil
      // Foundation accepts an object with a repeated name.
      if known != mine, !text.contains("\"a\":") || !known { Issue.record("\(text): \(known)") }
    }
  }
}
