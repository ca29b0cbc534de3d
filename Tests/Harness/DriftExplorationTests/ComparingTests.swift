import Foundation
import Testing

@testable import DriftExploration

@Suite struct ComparingTests {
  private struct Point {
    var x: Double
    var tags: Set<String>
    var other: [String: Box]
  }

  private final class Box {
    var value: Int
    var next: Box?
    init(_ value: Int) { self.value = value }
  }

  private enum Failure: Error {
    case missing(path: String)
    case failed(message: String, code: Int)
    case io(String)
  }

  @Test func structuresAreAlikeIfTheyHoldTheSame() {
    let one = Point(x: .nan, tags: ["a", "b"], other: ["k": Box(1), "l": Box(2)])
    let other = Point(x: .nan, tags: ["b", "a"], other: ["l": Box(2), "k": Box(1)])
    #expect(StructuralComparison.difference(one, other) == nil)
  }

  @Test func theFirstDifferenceHasAPath() throws {
    let one = Point(x: 1, tags: [], other: [:])
    let other = Point(x: 2, tags: [], other: [:])
    let difference = try #require(StructuralComparison.difference(one, other))
    #expect(difference.path == ".x")
    #expect(difference.left as? Double == 1)
  }

  @Test func elementsOfDictionariesAreCompared() {
    let one = Point(x: 1, tags: [], other: ["k": Box(1)])
    let other = Point(x: 1, tags: [], other: ["k": Box(2)])
    #expect(StructuralComparison.difference(one, other) != nil)
  }

  @Test func instancesThatContainThemselvesAreCompared() {
    let (one, other) = (Box(1), Box(1))
    (one.next, other.next) = (one, other)
    #expect(StructuralComparison.difference(one, other) == nil)
    other.value = 2
    #expect(StructuralComparison.difference(one, other) != nil)
  }

  @Test func errorsAreComparedByCaseAndValues() {
    let alike = StructuralComparison.areAlike
    #expect(alike(Failure.missing(path: "a"), Failure.missing(path: "a")))
    #expect(!alike(Failure.missing(path: "a"), Failure.missing(path: "b")))
    #expect(!alike(Failure.missing(path: "a"), Failure.io("a")))
    #expect(!alike(Failure.missing(path: "a"), CancellationError()))
  }

  @Test func messagesAreNotCompared() {
    let alike = StructuralComparison.areAlike
    #expect(alike(Failure.failed(message: "x", code: 1), Failure.failed(message: "y", code: 1)))
    #expect(!alike(Failure.failed(message: "x", code: 1), Failure.failed(message: "x", code: 2)))
    #expect(alike(Failure.io("no such file"), Failure.io("file not found")))
    #expect(!alike(Failure.io("EIO"), Failure.io("ENOENT")))
  }

  @Test func errorsOfFoundationAreComparedByDomainAndCode() {
    let alike = StructuralComparison.areAlike
    let paths = ["/tmp/a", "/tmp/b"].map {
      CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: $0])
    }
    #expect(alike(paths[0], paths[1]))
    #expect(!alike(paths[0], CocoaError(.fileReadNoPermission)))
    #expect(alike(POSIXError(.ENOENT), POSIXError(.ENOENT)))
    #expect(!alike(POSIXError(.ENOENT), POSIXError(.EPERM)))
  }

  @Test(arguments: [
    ("a\"b\u{301}" as any Sendable, #""a\"b\u{0301}""#), (Optional("a") as String?, "\"a\""),
    (nil as Int?, "nil"), ([1, 2], "[1, 2]"), (["k": 1], "[\"k\": 1]"),
    ([:] as [String: Int], "[:]"),
    (Data([1, 2]), "Data([1, 2])"), (Duration.milliseconds(1500), ".milliseconds(1500)"),
    (Double.nan, "Double.nan"), (-1.5, "-1.5"),
    ([UInt8](repeating: 7, count: 5000), "[UInt8](repeating: 7, count: 5000)"),
    (NotesError.unknownID, "NotesError.unknownID"),
    (NotesError.failed(message: "m"), "NotesError.failed(message: \"m\")"),
  ])
  func valuesAreWrittenAsSwift(_ value: any Sendable, _ text: String) {
    #expect(ValueSource.text(of: value) == text)
  }
}
