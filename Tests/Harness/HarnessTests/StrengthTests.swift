import ContractEvidence
import ContractReports
import Testing

/// Saboteurs show that clauses can fail, and a clause that can't fail is reported.
@Suite struct StrengthTests {
  @Test func `a strong contract catches every saboteur`() async throws {
    let run = try await SpecimenRun("saboteurs")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.matrix.tables.first?.saboteurs.count == 5)
    #expect(run.output.contains("strength: 3 of 3 clauses seen to fail"))
  }

  @Test func `one test can run a contract's cases and its saboteurs`() async throws {
    let run = try await SpecimenRun("both")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.matrix.results.count == 3)
    #expect(run.matrix.tables.first?.saboteurs.count == 5)
  }

  @Test func `a contract can leave the clauses that no saboteur names to mutants`() async throws {
    let run = try await SpecimenRun("leftToMutants")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("strength: 1 of 2 clauses seen to fail, 1 left to mutants"))
    #expect(run.matrix.tables.first?.contract.leftToMutants == ["other"])
    #expect(run.matrix.tables.first?.contract.clausesWithoutSaboteur == [])
    #expect(!Gate().problems(in: run.matrix).contains { $0.sentence.contains("saboteur") })
  }

  @Test func `a saboteur that fails most clauses is broken altogether`() async throws {
    let run = try await SpecimenRun("breadth", environment: ["CONTRACT_BREADTH": "1"])
    #expect(run.status == 0, "\(run.output)")
    let table = try #require(run.matrix.tables.first)
    let failed = Dictionary(uniqueKeysWithValues: table.breadths.map { ($0.saboteur, $0.failed) })
    #expect(failed["not-3"] == [])
    #expect(failed["even"] == ["sum-3", "sum-5"])
    #expect(failed["nothing"] == ["sum-2", "sum-3", "sum-4", "sum-5", "sum-6"])
    #expect(table.remarks.map(\.subject) == ["saboteur.nothing"])
    #expect(
      table.remarks.first?.sentence == """
        the saboteur nothing fails 5 of 5 clauses that it does not name: it is broken altogether and \
        shows little; narrow its flaw
        """)
    let quick = try await SpecimenRun("breadth")
    #expect(quick.matrix.tables.first?.breadths == [])
  }

  @Test func `a saboteur that fails several clauses needs a message`() {
    func advice(failing count: Int, of ran: Int, hasMessage: Bool) -> String? {
      SaboteurBreadth(
        contract: "c", saboteur: "s", failed: (0..<count).map { "c\($0)" }, ran: ran,
        hasMessage: hasMessage
      ).advice
    }
    #expect(advice(failing: 2, of: 100, hasMessage: false) == nil)
    #expect(
      advice(failing: 3, of: 100, hasMessage: false)
        == "the saboteur s also fails c0, c1, c2; give it saying:, so that the clauses that it names "
        + "must fail for its flaw")
    #expect(advice(failing: 50, of: 100, hasMessage: true) == nil)
    #expect(advice(failing: 51, of: 100, hasMessage: true)?.contains("broken altogether") == true)
    #expect(advice(failing: 3, of: 3, hasMessage: true) == nil, "too few clauses to tell")
  }

  @Test(
    arguments: [
      "'stuck' (always returns zero) escaped the clause 'blind'",
      "'stuck' (always returns zero) is caught by the clause 'mumbles' with the message",
      "'broken' (can't be made) can't be used: Caught error: Refusal()",
      "'lost' names 'mumble' in caughtBy:, which is not a clause (did you mean 'mumbles'?); name one of ",
      "nothing shows that the clause 'unnamed' can fail; add a saboteur that it catches",
      "✗ no saboteur names unnamed",
    ])
  func `a weak contract fails`(sentence: String) async throws {
    let run = try await SpecimenRun("weakSaboteurs")
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
  }
}
