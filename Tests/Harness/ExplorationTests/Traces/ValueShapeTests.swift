import Foundation
import Testing

@testable import ExplorationEngine
@testable import TraceExploration

@Suite struct ValueShapeTests {
  private enum Answer {
    case none
    case one(Int)
    case several(first: Item?, rest: [Item])
  }

  private enum Reason: String, CustomStringConvertible {
    case late

    var description: String { "it was late" }
  }

  private struct Item {
    var name = "x"
    var count = 3
    var isNew = true
  }

  private func shape(_ value: Any, depth: Int = 1) -> String {
    ValueShape(depth: depth, tellsNumbers: true).text(of: value)
  }

  @Test func `values that code treats alike have one shape`() {
    #expect([0, 1, 2, 99].map { shape($0) } == ["0", "1", "many", "many"])
    #expect(shape(-3) == "negative")
    #expect(
      [[], [1], [1, 2], [1, 2, 3]].map { shape($0) } == ["[0]", "[1]", "[many]", "[many]"])
    #expect(shape([1: 2, 3: 4]) == "[many]")
    #expect(shape(Set([1])) == "[1]")
    #expect(shape("") == "\"\"")
    #expect(shape("a") == shape("b"))
    #expect(shape(Date()) == shape(Date.distantPast))
    #expect(shape(1.5) == "Double")
  }

  @Test func `cases, options and payloads are told apart`() {
    #expect(shape(Answer.none) == "none")
    #expect(shape(Reason.late) == "late")
    #expect(shape(Answer.one(1)) == "one(1)")
    #expect(shape(Answer.several(first: nil, rest: [])) == "several(nil, [0])")
    #expect(shape(Answer.several(first: Item(), rest: [Item()])) == "several(Item, [1])")
    #expect(shape(Optional(Answer.none) as Any) == "none")
  }

  @Test func `numbers and texts may be left out`() {
    let shape = ValueShape(depth: 1, tellsNumbers: false)
    #expect(shape.text(of: Item()) == "(String, Int, true)")
    #expect(shape.text(of: Answer.several(first: nil, rest: [])) == "several(nil, [0])")
  }

  @Test func `depth limits what is opened`() {
    #expect(shape(Item()) == "(text, many, true)")
    #expect(shape(Item(), depth: 0) == "Item")
    #expect(
      shape(Answer.several(first: Item(), rest: []), depth: 2)
        == "several((text, many, true), [0])")
  }
}
