import ContractEvidence
import Testing

/// Every mistake in a declaration fails with a sentence that says what to do.
@Suite struct DeclarationTests {
  @Test(
    arguments: [
      (
        "unknownDeviation",
        "'sound' deviates from 'add', which is no clause (did you mean 'adds'?); remove "
          + ".deviating(from: \"add\") at HarnessTests/Specimens.swift:"
      ),
      (
        "unknownCapability",
        "'sound' lacks 'unheard-of', which no clause asks for; remove it, or name one of memory"
      ),
      ("duplicateClause", "the clause id 'same' is used twice (first at HarnessTests/Specimens"),
      ("missingAbsence", "nothing probes its absence, so an implementation could claim too little"),
      ("unknownDropped", ".without(\"subtracts\") names no clause; remove it"),
      ("noImplementation", "no implementation is given, so nothing runs"),
      ("sameNameTwice", "two implementations are called 'sound'; only the first runs"),
    ])
  func `a mistake is named, and what to do about it`(specimen: String, sentence: String)
    async throws
  {
    let run = try await SpecimenRun(specimen)
    #expect(run.status == 1)
    #expect(run.output.contains(sentence), "\(run.output)")
    #expect(run.matrix.problems.count == 1)
  }

  @Test func `a dropped clause is reported as not run`() async throws {
    let run = try await SpecimenRun("dropped")
    #expect(run.status == 0)
    #expect(run.result("counter/adds@sound") == nil)
    #expect(run.output.contains("not run: adds, no sums here"))
  }
}
