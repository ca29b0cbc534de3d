import Foundation
import Testing

@testable import ExplorationEngine

/// The reductions leave out schedules, but no outcome.
///
/// `CONTRACT_SOAK_PROGRAMS` sets the number of programs to draw, thousands in the full campaign.
/// Programs with more than 1,000 schedules in plain enumeration are skipped.
@Suite(.onObservedRuntime) struct ReductionTests {
  private static let programs =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_PROGRAMS"].flatMap { Int($0) } ?? 40

  @Test func `the reduced search reaches every outcome of plain enumeration`() async {
    var compared = 0
    var allSchedules = 0
    var reducedSchedules = 0
    var plainSchedules = 0
    for seed in 0..<UInt64(Self.programs) {
      let program = DifferentialProgram.small(seed: seed)
      let (outcomes, plain) = await DifferentialTests.explore(program, 1_000, isReducing: false)
      guard plain.isExhaustive else { continue }
      let (reached, reduced) = await DifferentialTests.explore(program, 10_000)
      #expect(outcomes.isSubset(of: reached), "seed \(seed): \(program)")
      // Plain enumeration has no points before calls of actors.
      let (_, comparable) = await DifferentialTests.explore(
        program, 10_000, leavingOut: [.arrivals])
      compared += 1
      allSchedules += reduced.schedules
      reducedSchedules += comparable.schedules
      plainSchedules += plain.schedules
    }
    print(
      """
      \(compared) programs, \(reducedSchedules) schedules instead of \(plainSchedules), \(allSchedules) with points \
      before calls of actors
      """)
    #expect(compared > Self.programs / 4)
    #expect(reducedSchedules < plainSchedules)
  }
}
