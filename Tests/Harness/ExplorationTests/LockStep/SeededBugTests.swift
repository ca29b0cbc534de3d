import ExplorationEngine
import Foundation
import Testing

/// Seeded bugs are found with every seed and shrunk to the same minimal example.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign.
@Suite struct SeededBugTests {
  static let seeds =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_SEEDS"].flatMap(UInt64.init) ?? 5

  private func explore(
    _ bug: DictionaryBug, seed: UInt64
  ) async throws -> LockStepFailure<DictionarySpecification> {
    let settings = ExplorationSettings(runs: 200_000, seed: seed &* 1_000_003)
    let report = await LockStep(DictionarySpecification(), settings: settings) {
      BuggyDictionary(bug)
    }.explore()
    #expect(report.health.isEmpty)
    return try #require(report.failure)
  }

  @Test(arguments: DictionaryBug.allCases)
  func `every seed shrinks a bug to the same minimal example`(
    bug: DictionaryBug
  ) async throws {
    var examples: Set<[DictionarySpecification.Command]> = []
    var worst = 0
    for seed in 1...Self.seeds {
      let failure = try await explore(bug, seed: seed)
      examples.insert(failure.commands)
      worst = max(worst, failure.calls.shrinking)
      #expect(!failure.isFlaky)
      // The last pass over twelve commands may exceed the call limit.
      #expect(failure.isShrunkFully || bug == .twelve)
      #expect(failure.commands.count == bug.minimum, "seed \(seed): \(failure)")
    }
    #expect(examples.count == 1, "\(examples)")
    #expect(worst <= 600, "\(bug): \(worst) live calls to shrink")
  }
}
