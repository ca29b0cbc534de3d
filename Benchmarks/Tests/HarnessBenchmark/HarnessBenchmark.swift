import ContractTesting
import Testing

/// The same 10,000 bodies as a plain parameterised test and through the harness, three rounds each in
/// turn; `Benchmarks/run harness` compares the times that Swift Testing prints.
@Suite(.serialized) struct HarnessBenchmark {
  static let count = 10_000
  static let plainCases = (0..<count).map(PlainCase.init)

  @Test(arguments: plainCases) func plain1(_ plain: PlainCase) async throws {
    try await plain.verify()
  }

  @Test(arguments: Contract.bulk.cases(for: .trivial))
  func harness1(_ clause: ContractCase<Int>) async throws { try await clause.verify() }

  @Test(arguments: plainCases) func plain2(_ plain: PlainCase) async throws {
    try await plain.verify()
  }

  @Test(arguments: Contract.bulk.cases(for: .trivial))
  func harness2(_ clause: ContractCase<Int>) async throws { try await clause.verify() }

  @Test(arguments: plainCases) func plain3(_ plain: PlainCase) async throws {
    try await plain.verify()
  }

  @Test(arguments: Contract.bulk.cases(for: .trivial))
  func harness3(_ clause: ContractCase<Int>) async throws { try await clause.verify() }

  /// 10,000 verdicts on a saboteur.
  @Test(arguments: Contract.handful.saboteurs)
  func saboteurs(_ saboteur: SaboteurCase<Int>) async throws {
    for _ in 0..<(HarnessBenchmark.count / 10) { try await saboteur.verify() }
  }
}

/// A case as somebody without the harness would write it, encodable to be run again alone.
struct PlainCase: Sendable, Codable, CustomTestStringConvertible {
  var number: Int

  var testDescription: String { "clause-\(number), holds" }

  func verify() async throws {
    let fixture = 0
    #expect(number >= fixture)
  }
}

extension Contract<Int> {
  static let bulk = Contract("bulk", "Bulk") {
    for number in 0..<HarnessBenchmark.count {
      Clause("clause-\(number)", "holds") { fixture in #expect(number >= fixture) }
    }
  }

  static let handful = Contract("handful", "A handful") {
    for number in 0..<10 {
      Clause("clause-\(number)", "holds") { fixture in #expect(number >= fixture) }
    }
  } saboteurs: {
    Saboteur(
      "late", "begins too late", caughtBy: "clause-0", "clause-1", "clause-2", "clause-3",
      "clause-4", "clause-5", "clause-6", "clause-7", "clause-8", "clause-9"
    ) { 10 }
  }
}

extension Implementation<Int> {
  static let trivial = fake("trivial") { 0 }
}
