import ContractTesting
import Testing

/// The same 10,000 bodies as a plain parameterised test and as clauses, with cases in parallel.
///
/// `Benchmarks/run harness` compares the times that Swift Testing prints.
@Suite struct HarnessBenchmark {
  static let count = 10_000

  @Test(arguments: PlainCase.all)
  func plain(_ plain: PlainCase) async throws { try await plain.verify() }

  @Test(arguments: Contract.bulk.cases(for: .trivial))
  func harness(_ contractCase: ContractCase<Int>) async throws { try await contractCase.verify() }
}

/// The same with sequential cases: the cost of a case when no other case runs concurrently.
@Suite(.serialized) struct SerialHarnessBenchmark {
  @Test(arguments: PlainCase.all)
  func plain(_ plain: PlainCase) async throws { try await plain.verify() }

  @Test(arguments: Contract.bulk.cases(for: .trivial))
  func harness(_ contractCase: ContractCase<Int>) async throws { try await contractCase.verify() }
}

/// 10,000 verdicts on saboteurs.
@Suite struct SaboteurBenchmark {
  @Test(arguments: Contract.handful.saboteurCases)
  func saboteurs(_ contractCase: ContractCase<Int>) async throws {
    for _ in 0..<(HarnessBenchmark.count / 5) { try await contractCase.verify() }
  }
}

/// A test argument without the harness. It is `Codable` so that tools can re-run a single case.
struct PlainCase: Sendable, Codable, CustomTestStringConvertible {
  static let all = (0..<HarnessBenchmark.count).map(PlainCase.init)

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

  static let handful = Contract("handful", "A handful", leavesOthersToMutants: true) {
    for number in 0..<10 {
      Clause("clause-\(number)", "holds") { fixture in #expect(number >= fixture) }
    }
  } saboteurs: {
    Saboteur(
      "too-large", "is larger than half of the clauses allow",
      caughtBy: "clause-0", "clause-1", "clause-2", "clause-3", "clause-4"
    ) { 5 }
  }
}

extension Implementation<Int> {
  static let trivial = fake("trivial") { 0 }
}
