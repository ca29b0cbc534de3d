import ContractEvidence
import Testing

/// Saboteurs prove clauses, and weak clauses are found out.
@Suite struct StrengthTests {
  @Test func `a strong contract catches every saboteur`() async throws {
    let run = try await SpecimenRun("saboteurs")
    #expect(run.status == 0, "\(run.output)")
    #expect(run.matrix.tables.first?.saboteurs.count == 5)
    #expect(run.output.contains("strength: 3 of 3 clauses seen to fail"))
  }

  @Test(
    arguments: [
      "'stuck' (always gives zero) escaped the clause 'blind'",
      "'stuck' (always gives zero) is caught by the clause 'mumbles', which says",
      "'broken' (can't even be made) is no use: Caught error: Refusal()",
      "'lost' is to be caught by 'mumble', which is no clause (did you mean 'mumbles'?)",
      "nothing shows that the clause 'unnamed' can fail; add a saboteur that it catches",
    ])
  func `a weak contract fails`(sentence: String) async throws {
    let run = try await SpecimenRun("weakSaboteurs")
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
  }
}
