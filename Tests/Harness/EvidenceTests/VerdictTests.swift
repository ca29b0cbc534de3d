import ContractEvidence
import Testing

@Suite struct VerdictTests {
  private static let deviates = Outcome.deviates(reason: "known")
  private static let unavailable = Outcome.unavailable(reason: "no network")

  private static let flaky = Outcome.flaky(reason: "failed in 1 of 2 runs")

  @Test(
    arguments: [
      ([(.fake, .passed), (.live, .passed)], Verdict.agree),
      ([(.live, .passed)], .agree),
      ([(.fake, .passed), (.live, .passed), (.live, deviates)], .deviates),
      ([(.fake, deviates), (.live, .passed)], .deviates),
      ([(.fake, .passed), (.live, .passed), (.live, flaky)], .agree),
      ([(.fake, .passed), (.live, flaky)], .unproven),
      ([(.fake, .passed), (.live, .crashed(signal: 0))], .unproven),
      ([(.fake, .passed), (.live, .crashed(signal: 11))], .realityMoved),
      ([(.fake, .failed), (.live, .passed)], .fakeLies),
      ([(.fake, .crashed(signal: 4)), (.live, .passed)], .fakeLies),
      ([(.fake, .passed), (.fake, .timedOut(seconds: 1)), (.live, .passed)], .fakeLies),
      ([(.recorded, .failed), (.live, .passed)], .recordingStale),
      ([(.fake, .passed), (.recorded, .failed), (.live, .passed)], .recordingStale),
      ([(.fake, .failed), (.recorded, .failed), (.live, .passed)], .fakeLies),
      ([(.recorded, .failed), (.live, .failed)], .contractWrong),
      ([(.fake, .failed), (.live, .passed), (.live, .failed)], .fakeLies),
      ([(.fake, .passed), (.live, .failed)], .realityMoved),
      ([(.fake, .passed), (.live, .passed), (.live, .failed)], .realityMoved),
      ([(.live, .failed)], .fails),
      ([(.live, .failed), (.live, .passed)], .fails),
      ([(.fake, deviates), (.live, .failed)], .fails),
      ([(.fake, .failed), (.live, .failed)], .contractWrong),
      ([(.fake, .failed), (.live, .failed), (.live, deviates)], .contractWrong),
      ([(.fake, .passed)], .unproven),
      ([(.fake, .passed), (.live, unavailable)], .unproven),
      ([(.fake, .passed), (.live, deviates)], .unproven),
      ([(.fake, .failed), (.live, unavailable)], .unproven),
      ([(.recorded, .passed)], .unproven),
    ] as [([(ImplementationKind, Outcome)], Verdict)])
  func `judges the outcomes of a clause`(row: [(ImplementationKind, Outcome)], verdict: Verdict) {
    #expect(Verdict(row.map { (kind: $0.0, outcome: $0.1) }) == verdict)
  }
}
