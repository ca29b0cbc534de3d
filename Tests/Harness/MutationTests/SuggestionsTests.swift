import Testing

@testable import ContractMutation

@Suite struct SuggestionsTests {
  private static let suggestions = Suggestions(
    drifts: [.init(text: "fake answers otherwise than live", mutants: [mutant("a", line: 1)])],
    clauses: [
      .init(text: "Clause(\"x\", \"…\") { port in\n  port.x()\n}", mutants: [mutant("b", line: 2)])
    ],
    rest: [(mutant("c", line: 3), "not reached by these operations")])

  private static func mutant(_ id: String, line: Int) -> Mutant {
    Mutant(
      id: id, file: "Sources/App/Fake.swift", declaration: "Fake.x", operator: .removal,
      original: "x += 1", replacement: "", start: .init(line: line, column: 1),
      end: .init(line: line, column: 7))
  }

  @Test func driftsComeFirstAndTheRestHasReasons() {
    #expect(
      Self.suggestions.text == """
        drift: fake answers otherwise than live

        this clause notices 1 mutant:
          Sources/App/Fake.swift:2 `x += 1` removed
        Clause("x", "…") { port in
          port.x()
        }

        no clause notices:
          Sources/App/Fake.swift:3 `x += 1` removed: not reached by these operations

        suggested clauses: 1, which notice 1 of 3 mutants that survived; drifts: 1

        """)
  }

  @Test func clausesAreAddedAtTheEndOfTheContract() {
    let source = """
      extension Contract<any Port> {
        static let port = Contract(
          "port", "Port } {"
        ) {  // }
          Clause("first", "…") { port in port.first("}") }
        } saboteurs: {
        }
        static let other = Contract("other", "Other") {
        }
      }
      """
    #expect(
      Self.suggestions.added(to: source, contract: "port") == """
        extension Contract<any Port> {
          static let port = Contract(
            "port", "Port } {"
          ) {  // }
            Clause("first", "…") { port in port.first("}") }
            Clause("x", "…") { port in
              port.x()
            }
          } saboteurs: {
          }
          static let other = Contract("other", "Other") {
          }
        }
        """)
  }

  @Test(arguments: ["missing", "inline"])
  func aContractThatCannotBeExtendedIsLeftAlone(_ contract: String) {
    let source = "let inline = Contract(\"inline\", \"…\") { Clause(\"a\", \"…\") { _ in } }"
    #expect(Self.suggestions.added(to: source, contract: contract) == nil)
  }
}
