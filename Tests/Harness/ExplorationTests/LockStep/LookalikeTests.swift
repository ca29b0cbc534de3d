import Foundation
import Testing

@testable import ExplorationEngine
@testable import LockStepExploration

/// Mismatches of values that print alike.
@Suite struct LookalikeTests {
  private struct Entry: Sendable, Equatable, CustomStringConvertible {
    var name: String
    var bytes: [UInt8] = []
    var description: String { name }
    // Names are compared by their encoding, as a file system does.
    static func == (left: Self, right: Self) -> Bool {
      left.name.utf8.elementsEqual(right.name.utf8) && left.bytes == right.bytes
    }
  }

  @Test func `composed and decomposed text is shown by its scalars`() {
    let kind = LockStepFailureKind.mismatch(
      expected: [Entry(name: "\u{e9}")], actual: [Entry(name: "e\u{301}")])
    #expect(
      kind.description.contains(#"expected "\u{00E9}", got "e\u{0301}" in [0].name"#), "\(kind)")
  }

  @Test func `dates are shown with their fractions`() {
    let date = Date(timeIntervalSinceReferenceDate: 10)
    let kind = LockStepFailureKind.mismatch(
      expected: Optional(date), actual: Optional(date + 0.125))
    #expect(kind.description.contains("expected 10.0 s, got 10.125 s since 2001"), "\(kind)")
  }

  @Test func `a field that the description omits is named`() {
    let kind = LockStepFailureKind.mismatch(
      expected: Entry(name: "a", bytes: [1, 2]), actual: Entry(name: "a", bytes: [1, 3]))
    #expect(kind.description.contains("expected 2, got 3 in bytes[1]"), "\(kind)")
  }

  @Test func `values that print differently are shown as they are`() {
    let kind = LockStepFailureKind.mismatch(expected: 1, actual: 2)
    #expect(kind.description == "expected 1, got 2")
  }
}
