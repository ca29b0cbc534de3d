import ContractEvidence
import Testing

/// Live implementations, of which some are fakes in disguise.
@Suite struct WitnessTests {
  @Test func `a live implementation that never touches the real thing is unproven`() async throws {
    let run = try await SpecimenRun("witnessed")
    let columns = try #require(run.matrix.tables.first).columns
    let touching = Dictionary(
      uniqueKeysWithValues: columns.map { ($0.name, $0.witness?.touchingCases) })
    #expect(
      touching == [
        "sound": nil, "recording": 2, "elsewhere": 2, "impostor": 0, "impostor-elsewhere": 0,
        "unreadable": 0, "printed": 2, "read": 2,
      ])
    let kinds = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.witness?.kinds) })
    #expect(
      kinds == [
        "sound": nil, "recording": [.closure], "elsewhere": [.closure], "impostor": [],
        "impostor-elsewhere": [], "unreadable": [], "printed": [.program], "read": [.file],
      ])
    #expect(columns.filter { $0.untouched != nil }.count == 3)
    #expect(run.status == 0, "it is no failure: one clause alone may only read")
    #expect(
      run.output.contains(
        "impostor is unproven: none of its 2 cases changed the file, so it may not reach the real thing"
      ))
  }

  @Test func `a clause is unproven if its live implementation does not touch the real thing`()
    async throws
  {
    let run = try await SpecimenRun("witnessed", environment: ["CONTRACT": "counter@impostor"])
    #expect(run.outcome("counter/adds@impostor") == .passed)
    #expect(run.matrix.tables.first?.rows.first?.verdict == .unproven)
  }
}
