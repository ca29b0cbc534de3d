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
  /// The most schedules of plain enumeration.
  private static let budget = 1_000

  /// The state that the programs share, and what is declared.
  enum Sharing: CaseIterable {
    /// Locks are shared, and any state is declared as shared.
    case anything
    /// Only actors share state, and that is declared.
    case declaredActors
    /// Only actors share state, but any state is declared as shared. The first schedules cover the
    /// actors.
    case undeclaredActors
  }

  @Test(arguments: Sharing.allCases)
  func `the reduced search reaches every outcome of plain enumeration`(sharing: Sharing) async {
    var compared = 0
    var reducedSchedules = 0
    var plainSchedules = 0
    var wrong: [UInt64] = []
    func printProgress(_ drawn: Int) {
      print(
        "\(sharing): \(compared) of \(drawn) programs compared, \(reducedSchedules) schedules "
          + "instead of \(plainSchedules), \(wrong.count) wrong")
    }
    for number in 0..<Self.programs {
      let seed = UInt64(number)
      let program = RandomProgram(seed: seed, usesLocks: sharing == .anything)
      if number > 0, number % 500 == 0 { printProgress(number) }
      guard
        let plain = await program.outcomes(
          isReducing: false, sharing: sharing == .anything ? .anything : .actorsOnly,
          usesOnlyActors: sharing != .anything, budget: Self.budget)
      else { continue }
      let reduced = await program.outcomes(
        isReducing: true, sharing: sharing == .declaredActors ? .actorsOnly : .anything,
        usesOnlyActors: sharing != .anything, budget: Self.budget)
      let reached = sharing == .undeclaredActors ? reduced?.onActors : reduced?.all
      if reached != plain.all {
        wrong.append(seed)
        Issue.record(
          "seed \(seed): \(program), \(reduced?.schedules ?? -1) of \(plain.schedules) schedules")
      }
      compared += 1
      reducedSchedules += reduced?.schedules ?? 0
      plainSchedules += plain.schedules
    }
    #expect(compared > Self.programs / 4)
    // If any state may be shared, most steps conflict.
    #expect(reducedSchedules < (sharing == .anything ? plainSchedules * 2 / 3 : plainSchedules / 5))
    printProgress(Self.programs)
  }

  /// Programs for which earlier versions of the reductions left out an outcome.
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
  func `no outcome is left out of a program that was once reduced wrongly`(
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
