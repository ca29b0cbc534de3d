import Testing

@testable import ContractMutation

@Suite struct CaseOrderTests {
  private static func mutant(in declaration: String) -> Mutant {
    Mutant(
      id: "", file: "\(declaration.prefix(1)).swift", declaration: declaration,
      operator: .boolean, original: "true", replacement: "false",
      start: .init(line: 1, column: 1), end: .init(line: 1, column: 5))
  }

  private static let cases: Set = ["cheap", "dear", "dearest"]
  private static let costs = ["cheap": 10.0, "dear": 15, "dearest": 20]

  @Test func `cheap cases come first as long as no mutant is judged`() {
    let order = CaseOrder(costs: Self.costs)
    #expect(order.sorted(Self.cases, for: Self.mutant(in: "A.f")) == ["cheap", "dear", "dearest"])
  }

  @Test func `a case that noticed a mutant comes first for its neighbours`() {
    var order = CaseOrder(costs: Self.costs)
    order.learn(
      from: Self.mutant(in: "A.f"), tried: ["cheap", "dear", "dearest"], killer: "dearest")
    #expect(order.sorted(Self.cases, for: Self.mutant(in: "A.f")).first == "dearest")
    #expect(order.sorted(Self.cases, for: Self.mutant(in: "A.g")).first == "dearest")
  }

  @Test func `what was noticed in the same declaration counts most`() {
    var order = CaseOrder(costs: Self.costs)
    for _ in 0..<3 {
      order.learn(from: Self.mutant(in: "A.f"), tried: ["dear", "dearest"], killer: "dear")
      order.learn(from: Self.mutant(in: "B.f"), tried: ["dear", "dearest"], killer: "dearest")
    }
    #expect(order.sorted(Self.cases, for: Self.mutant(in: "A.f")).first == "dear")
    #expect(order.sorted(Self.cases, for: Self.mutant(in: "B.f")).first == "dearest")
  }

  @Test func `a case that was not reached because another noticed the mutant is not blamed`() {
    var order = CaseOrder(costs: ["cheap": 10, "dear": 12])
    for _ in 0..<3 {
      order.learn(from: Self.mutant(in: "A.f"), tried: ["cheap", "dear"], killer: nil)
    }
    #expect(order.sorted(["cheap", "dear"], for: Self.mutant(in: "A.f")) == ["cheap", "dear"])
    for _ in 0..<3 {
      order.learn(from: Self.mutant(in: "A.g"), tried: ["dear", "cheap"], killer: "dear")
    }
    #expect(order.sorted(["cheap", "dear"], for: Self.mutant(in: "A.g")) == ["dear", "cheap"])
  }
}
