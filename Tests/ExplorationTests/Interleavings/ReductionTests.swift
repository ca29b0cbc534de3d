import Foundation
import Testing

@testable import ContractExploration

/// Leaving schedules out must not leave an outcome out.
///
/// `EXPLORATION_LONG=1` runs thousands of programs instead of a few dozen.
@Suite struct ReductionTests {
  private static let isLong = ProcessInfo.processInfo.environment["EXPLORATION_LONG"] != nil

  /// What is declared, and what the programs really share.
  enum Sharing: CaseIterable {
    /// Anything may be shared, and is.
    case anything
    /// Actors alone are shared, and that is declared.
    case declaredActors
    /// Actors alone are shared, which nobody has said: the first schedules are to cover them.
    case undeclaredActors
  }

  @Test(arguments: Sharing.allCases)
  func `the reduced search reaches every outcome of plain enumeration`(sharing: Sharing) async {
    let programs = Self.isLong ? 1_500 : 40
    var compared = 0
    var reducedSchedules = 0
    var plainSchedules = 0
    for seed in 0..<UInt64(programs) {
      let program = RandomProgram(seed: seed, usesLocks: sharing == .anything)
      let budget = Self.isLong ? 6_000 : 1_000
      guard
        let plain = await program.outcomes(
          isReducing: false, sharing: sharing == .anything ? .anything : .actorsOnly,
          usesOnlyActors: sharing != .anything, budget: budget)
      else { continue }
      let reduced = await program.outcomes(
        isReducing: true, sharing: sharing == .declaredActors ? .actorsOnly : .anything,
        usesOnlyActors: sharing != .anything, budget: budget)
      let reached = sharing == .undeclaredActors ? reduced?.onActors : reduced?.all
      #expect(
        reached == plain.all,
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

  /// Programs for which reductions that looked right left an outcome out.
  @Test(arguments: [
    RandomProgram([[.relayed(from: 0, to: 1)], [.relayed(from: 1, to: 0)]]),
    RandomProgram([
      [.beside(.relayed(from: 1, to: 0), .relayed(from: 0, to: 1))], [.sleep(milliseconds: 1)],
    ]),
    RandomProgram([
      [.relayed(from: 0, to: 1)], [.relayed(from: 1, to: 0), .mark(actor: 0)],
    ]),
    RandomProgram([[.yieldingMark(actor: 0)], [.yieldingMark(actor: 0)]]),
    RandomProgram([[.mark(actor: 0), .mark(actor: 1)], [.mark(actor: 1), .mark(actor: 0)]]),
  ])
  func `a program that a reduction once got wrong keeps its outcomes`(
    program: RandomProgram
  ) async throws {
    func outcomes(isReducing: Bool, _ sharing: SharedState) async throws -> RandomProgram.Outcomes {
      try #require(
        await program.outcomes(
          isReducing: isReducing, sharing: sharing, usesOnlyActors: true, budget: 50_000))
    }
    let plain = try await outcomes(isReducing: false, .actorsOnly)
    #expect(try await outcomes(isReducing: true, .actorsOnly).all == plain.all)
    #expect(try await outcomes(isReducing: true, .anything).onActors == plain.all)
  }
}
