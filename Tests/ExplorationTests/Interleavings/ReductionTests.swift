import Foundation
import Testing

@testable import ContractExploration

/// Leaving schedules out must not leave an outcome out.
///
/// `EXPLORATION_LONG=1` runs thousands of programs instead of a few dozen.
@Suite struct ReductionTests {
  private static let isLong = ProcessInfo.processInfo.environment["EXPLORATION_LONG"] != nil

  @Test(arguments: [SharedState.anything, .actorsOnly])
  func `the reduced search reaches every outcome of plain enumeration`(
    sharing: SharedState
  ) async {
    let programs = Self.isLong ? 2_500 : 40
    var compared = 0
    var reducedSchedules = 0
    var plainSchedules = 0
    for seed in 0..<UInt64(programs) {
      let program = RandomProgram(seed: seed, usesLocks: sharing == .anything)
      let budget = Self.isLong ? 10_000 : 1_000
      guard
        let plain = await program.outcomes(isReducing: false, sharing: sharing, budget: budget)
      else { continue }
      let reduced = await program.outcomes(
        isReducing: true, sharing: sharing, budget: budget)
      #expect(
        reduced?.outcomes == plain.outcomes,
        "seed \(seed): \(program), \(reduced?.schedules ?? -1) of \(plain.schedules) schedules")
      compared += 1
      reducedSchedules += reduced?.schedules ?? 0
      plainSchedules += plain.schedules
    }
    #expect(compared > programs / 4)
    #expect(reducedSchedules < plainSchedules / 2)
    if Self.isLong {
      print(
        "\(sharing): \(compared) of \(programs) programs compared, \(reducedSchedules) schedules "
          + "instead of \(plainSchedules)")
    }
  }
}
