import ContractTesting
import Foundation
import Testing

@Suite struct CheckTests {
  private struct Point: Equatable, CustomTestStringConvertible {
    var x: Int
    var testDescription: String { "point at \(x)" }
  }

  @Test func `values that are equal record nothing`() {
    checkEqual([1, 2], [1, 2], "the list")
    check(true, "never")
  }

  @Test func `values that differ are both named`() {
    withKnownIssue {
      checkEqual("/a\n", "/", "the path")
    } matching: { issue in
      issue.comments.first?.rawValue == "the path is '/a\\n', expected '/'"
    }
    withKnownIssue {
      checkEqual([Point(x: 1)], [], "the list")
    } matching: { issue in
      issue.comments.first?.rawValue == "the list is [point at 1], expected []"
    }
    withKnownIssue {
      checkEqual(Optional<String>.none, "x", "the answer")
    } matching: { issue in
      issue.comments.first?.rawValue == "the answer is nothing, expected 'x'"
    }
  }

  @Test func `values that print alike are told apart`() {
    struct Octets: Equatable, CustomStringConvertible {
      var text: String
      var description: String { text }
      static func == (a: Octets, b: Octets) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
    }
    withKnownIssue {
      checkEqual([Octets(text: "e\u{301}")], [Octets(text: "é")], "the name")
    } matching: { issue in
      issue.comments.first?.rawValue
        == "the name is [e\\u{0301}], expected [\\u{00E9}]"
    }
  }

  @Test func `values that print alike say at which field they differ`() {
    struct Job: Equatable, CustomStringConvertible {
      var payload: [UInt8]
      var attempts: Int
      var description: String { "job of \(payload.count) bytes" }
    }
    withKnownIssue {
      checkEqual(
        Job(payload: [1, 2], attempts: 1), Job(payload: [1, 3], attempts: 1), "the answer")
    } matching: { issue in
      issue.comments.first?.rawValue
        == "the answer is job of 2 bytes, which prints like the expected value: expected 3, got 2 "
        + "in payload[1]"
    }
    withKnownIssue {
      checkEqual(Job(payload: [], attempts: 1), Job(payload: [], attempts: 2), "the answer")
    } matching: { issue in
      issue.comments.first?.rawValue.hasSuffix(": expected 2, got 1 in attempts") == true
    }
  }

  @Test func `long text is cut`() {
    let text = describe(String(repeating: "x", count: 500))
    #expect(text == "'\(String(repeating: "x", count: 80))…' (500 bytes)")
    #expect(describe(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00Z (0.0 s)")
  }
}
