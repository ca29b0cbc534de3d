/// What a clause's row of outcomes says, fakes and live implementations taken together.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
  /// Nothing failed, and a live implementation held.
  case agree
  /// A live implementation holds where a fake fails.
  case fakeLies = "fake lies"
  /// A fake holds where a live implementation fails.
  case realityMoved = "reality moved"
  /// Everything that ran failed.
  case contractWrong = "contract wrong?"
  /// Nothing failed, and no live implementation held: there is no evidence about the real thing.
  case unproven

  /// Judges a row.
  ///
  /// Deviations count neither as holding nor as failing: they are known. Recorded implementations
  /// count beside the fakes.
  /// - Parameter outcomes: The row's cells that ran, with the kinds of their implementations.
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
