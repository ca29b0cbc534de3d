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

  private struct Item: Hashable {
    var itemID: Int?
    var count = 0
    var key = ""
  }

  private static var correspondences: Correspondences {
    var correspondences = Correspondences()
    correspondences.add(100, 1)
    correspondences.add(("key-a", "same"), ("key-b", "same"))
    correspondences.add((4_000_000, 1.5), (3_000_000, 2.5))
    return correspondences
  }

  @Test(arguments: [
    (Item(itemID: 100), Item(itemID: 1), true), (Item(itemID: 1), Item(itemID: 100), false),
    (Item(itemID: 101), Item(itemID: 1), false), (Item(itemID: 100), Item(itemID: nil), false),
    (Item(itemID: 100, count: 3), Item(itemID: 1, count: 4), false),
    // A small number may be the same by chance, where it is no id.
    (Item(count: 100), Item(count: 1), false),
    (Item(count: 4_000_000), Item(count: 3_000_000), true),
    (Item(key: "key-a"), Item(key: "key-b"), true), (Item(key: "same"), Item(key: "key-b"), false),
  ])
  private func valuesThatCorrespondAreAlike(_ live: Item, _ fake: Item, _ areAlike: Bool) {
    let correspondences = Self.correspondences
    #expect(correspondences.explain(live, fake) == areAlike)
    #expect(correspondences.explain([[live]], [[fake]]) == areAlike)
    #expect(correspondences.explain(Set([live]), Set([fake])) == areAlike)
    #expect(correspondences.explain((1, live), (1, fake)) == areAlike)
  }

  @Test func elementsOfCollectionsCasesAndFlagsDoNotCorrespond() {
    var correspondences = Correspondences()
    correspondences.add(["a", "b"], ["b", "a"])
    correspondences.add((id: true, FloatingPointSign.plus), (id: false, FloatingPointSign.minus))
    correspondences.add(Failure.io("a"), Failure.missing(path: "b"))
    #expect(correspondences.isEmpty)
  }

  @Test func anIDThatIsUsedAgainCorrespondsToTheLastOne() {
    var correspondences = Correspondences()
    correspondences.add("x", "1")
    correspondences.add("x", "2")
    #expect(!correspondences.explain("x", "1"))
    #expect(correspondences.explain("x", "2"))
    correspondences.add("y", "2")
    #expect(!correspondences.explain("x", "2"))
    #expect(correspondences.explain("y", "2"))
  }

  @Test func numbersCorrespondInErrors() {
    let alike = { StructuralComparison.areAlike($0, $1, apartFrom: Self.correspondences) }
    #expect(
      alike(Failure.failed(message: "x", code: 100), Failure.failed(message: "y", code: 1)))
    #expect(
      !alike(Failure.failed(message: "x", code: 100), Failure.failed(message: "x", code: 2)))
  }

  @Test func errorsAreComparedByCaseAndValues() {
    let alike = { StructuralComparison.areAlike($0, $1) }
    #expect(alike(Failure.missing(path: "a"), Failure.missing(path: "a")))
    #expect(!alike(Failure.missing(path: "a"), Failure.missing(path: "b")))
    #expect(!alike(Failure.missing(path: "a"), Failure.io("a")))
    #expect(!alike(Failure.missing(path: "a"), CancellationError()))
  }

  @Test func messagesAreNotCompared() {
    let alike = { StructuralComparison.areAlike($0, $1) }
    #expect(alike(Failure.failed(message: "x", code: 1), Failure.failed(message: "y", code: 1)))
    #expect(!alike(Failure.failed(message: "x", code: 1), Failure.failed(message: "x", code: 2)))
    #expect(alike(Failure.io("no such file"), Failure.io("file not found")))
    #expect(!alike(Failure.io("EIO"), Failure.io("ENOENT")))
  }

  @Test func errorsOfFoundationAreComparedByDomainAndCode() {
    let alike = { StructuralComparison.areAlike($0, $1) }
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
    (Double.nan, "Double.nan"), (-1.5, "-1.5"), (Decimal(-101), "Decimal(-101)"),
    (Decimal(sign: .plus, exponent: -1, significand: 1), "Decimal(string: \"0.1\")!"),
    (Decimal.nan, "Decimal.nan"), (NSNumber(value: 1), "NSNumber(value: 1)"),
    (0..<2, "(0..<2)"), (-1...2, "(-1...2)"),
    (Locale(identifier: "de_DE"), "Locale(identifier: \"de_DE\")"),
    (TimeZone(identifier: "Europe/Berlin")!, "TimeZone(identifier: \"Europe/Berlin\")!"),
    (Date(timeIntervalSince1970: -60), "Date(timeIntervalSince1970: -60)"),
    (
      Date(timeIntervalSinceReferenceDate: 0.25), "Date(timeIntervalSinceReferenceDate: 0.25)"
    ),
    ([UInt8](repeating: 7, count: 5000), "[UInt8](repeating: 7, count: 5000)"),
    (NotesError.unknownID, "NotesError.unknownID"),
    (NotesError.failed(message: "m"), "NotesError.failed(message: \"m\")"),
  ])
  func valuesAreWrittenAsSwift(_ value: any Sendable, _ text: String) {
    #expect(ValueSource.text(of: value) == text)
  }
}
