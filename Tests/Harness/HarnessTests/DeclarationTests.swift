import ContractEvidence
import Testing

/// Each mistake in a declaration fails with a message that says how to correct it.
@Suite struct DeclarationTests {
  @Test(
    arguments: [
      (
        "unknownDeviation",
        "'sound' deviates from 'add', which is not a clause (did you mean 'adds'?); remove "
          + ".deviating(from: \"add\") at harness_specimens/Specimens.swift:"
      ),
      (
        "unknownCapability",
        "'sound' lacks 'unheard-of', which no clause requires; remove it, or name one of memory"
      ),
      ("placeholderReason", "'sound' deviates from 'adds' because 'TODO'; write the reason"),
      (
        "duplicateClause",
        "two clauses have the id 'same' (the first is at harness_specimens/Specimens"
      ),
      (
        "missingAbsence",
        "no clause checks its absence, so an implementation could claim to lack it"
      ),
      ("unknownDropped", ".without(\"subtracts\") names no clause; remove it"),
      ("noImplementation", "no implementation is given, so nothing runs"),
      ("sameNameTwice", "two implementations have the id 'sound'; only the first runs"),
    ])
  func `a mistake fails with a message that says how to correct it`(
    specimen: String, sentence: String
  )
    async throws
  {
    let run = try await SpecimenRun(specimen)
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
    let defects = run.matrix.defects
    #expect(run.matrix.problems.count { !defects.contains($0) } == 1, "\(run.matrix.problems)")
  }

  @Test func `a dropped clause is reported as not run`() async throws {
    let run = try await SpecimenRun("dropped")
    #expect(run.status == 0)
    #expect(run.result("counter/adds@sound") == nil)
    #expect(run.output.contains("not run: adds, this port has no sums"))
  }
}
