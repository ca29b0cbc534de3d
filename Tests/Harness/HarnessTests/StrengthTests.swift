import ContractEvidence
import Testing

/// Saboteurs prove clauses, and weak clauses fail.
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

  @Test(
    arguments: [
      "'stuck' (always returns zero) escaped the clause 'blind'",
      "'stuck' (always returns zero) is caught by the clause 'mumbles' with the message",
      "'broken' (can't be made) can't be used: Caught error: Refusal()",
      "'lost' names 'mumble' in caughtBy:, which is not a clause (did you mean 'mumbles'?); name one of ",
      "nothing shows that the clause 'unnamed' can fail; add a saboteur that it catches",
    ])
  func `a weak contract fails`(sentence: String) async throws {
    let run = try await SpecimenRun("weakSaboteurs")
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
  }
}
