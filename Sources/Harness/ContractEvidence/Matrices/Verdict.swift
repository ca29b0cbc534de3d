/// What the outcomes of one clause on fakes and live implementations mean together.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing failed, and the clause holds on a live implementation.
  case agree
  /// The clause holds on a live implementation and fails on a fake.
  case fakeLies = "fake lies"
  /// The clause fails on a live implementation, and holds on a fake or fails on none.
  case realityMoved = "reality moved"
  /// The clause fails on every fake and live implementation that ran it.
  case contractWrong = "contract wrong?"
  /// The clause neither holds nor fails on a live implementation: there is no evidence about the
  /// real system.
  case unproven

  /// Judges the outcomes of one clause.
  ///
  /// Deviations count neither as holding nor as failing. Recorded implementations count as fakes.
  /// - Parameter outcomes: The outcomes, each with the kind of its implementation.
  public init(_ outcomes: [(kind: ImplementationKind, outcome: Outcome)]) {
    func count(live: Bool, _ isCounted: (Outcome) -> Bool) -> Int {
      outcomes.count { ($0.kind == .live) == live && isCounted($0.outcome) }
    }
    let liveHolds = count(live: true) { $0 == .passed }
    let liveFails = count(live: true) { $0.isFailure }
    let fakeHolds = count(live: false) { $0 == .passed }
    let fakeFails = count(live: false) { $0.isFailure }
    self =
      if fakeFails > 0, liveHolds > 0 {
        .fakeLies
      } else if liveFails > 0, liveHolds + fakeHolds > 0 || fakeFails == 0 {
        .realityMoved
      } else if fakeFails > 0, liveFails > 0 {
        .contractWrong
      } else {
        liveHolds > 0 ? .agree : .unproven
      }
  }
}
