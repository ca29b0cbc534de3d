/// What the outcomes of one clause on fakes and live implementations mean together.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing failed or deviated, and the clause holds on a live implementation.
  case agree
  /// Nothing failed, the clause holds on a live implementation, and another deviates as declared.
  case deviates
  /// The clause holds on a live implementation and fails on a fake.
  case fakeLies = "fake lies"
  /// The clause holds on a live implementation and fails on a recording, and fails on no fake.
  case recordingStale = "recording stale"
  /// The clause fails on a live implementation, and holds on a fake or on another live
  /// implementation.
  case realityMoved = "reality moved"
  /// The clause fails on every fake and live implementation that ran it, and both kinds ran it: the
  /// contract is wrong, or code that the implementations share, such as a model or a policy.
  case contractWrong = "contract or shared code?"
  /// The clause fails on live implementations, and no fake ran it.
  case fails
  /// The clause neither holds nor fails on a live implementation: there is no evidence about the
  /// real system.
  case unproven

  /// Judges the outcomes of one clause.
  ///
  /// Deviations and flaky results count neither as holding nor as failing. A recorded implementation
  /// that holds counts as a fake that holds.
  /// - Parameter outcomes: The outcomes, each with the kind of its implementation.
  public init(_ outcomes: [(kind: ImplementationKind, outcome: Outcome)]) {
    func count(live: Bool, _ isCounted: (Outcome) -> Bool) -> Int {
      outcomes.count { ($0.kind == .live) == live && isCounted($0.outcome) }
    }
    let fails = { (outcome: Outcome) in
      if case .flaky = outcome { false } else { outcome.isFailure }
    }
    let liveHolds = count(live: true, \.holds)
    let liveFails = count(live: true, fails)
    let fakeHolds = count(live: false, \.holds)
    let fakeFails = outcomes.count { $0.kind == .fake && fails($0.outcome) }
    let recordedFails = outcomes.count { $0.kind == .recorded && fails($0.outcome) }
    let deviates = outcomes.contains { if case .deviates = $0.outcome { true } else { false } }
    self =
      if fakeFails > 0, liveHolds > 0 {
        .fakeLies
      } else if recordedFails > 0, liveHolds > 0 {
        .recordingStale
      } else if liveFails > 0, fakeHolds > 0 {
        .realityMoved
      } else if fakeFails + recordedFails > 0, liveFails > 0 {
        .contractWrong
      } else if liveFails > 0 {
        .fails
      } else {
        liveHolds == 0 ? .unproven : deviates ? .deviates : .agree
      }
  }
}
