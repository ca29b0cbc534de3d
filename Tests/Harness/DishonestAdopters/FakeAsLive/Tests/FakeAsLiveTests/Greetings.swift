import ContractTesting
import Testing

/// A live column that makes the fake, and has no witness.
@Suite struct GreetingsTests {
  @Test(arguments: Contract.greetings.cases(for: .fake, .disguised))
  func holds(_ contractCase: ContractCase<any Greetings>) async throws {
    try await contractCase.verify()
  }
}

protocol Greetings: Sendable {
  func greeting(of name: String) -> String
}

struct InMemoryGreetings: Greetings {
  func greeting(of name: String) -> String { "Hello, \(name)" }
}

extension Contract<any Greetings> {
  static let greetings = Contract("greetings", "Greetings", leavesOthersToMutants: true) {
    Clause("names", "a greeting contains the name") { greetings in
      #expect(greetings.greeting(of: "Ada").contains("Ada"))
    }
  }
}

extension Implementation<any Greetings> {
  static let fake = fake("in-memory") { _ in InMemoryGreetings() }
  static let disguised = live("server") { _ in InMemoryGreetings() }
}
