import ExplorationEngine
import Foundation
import LockStepExploration
import Testing

/// Bugs that are hard to shrink end at the fewest commands that show them, with nearly every seed.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign.
@Suite struct HardCaseTests {
  /// The share of seeds that must end at the minimum, over all cases.
  ///
  /// A model whose state shows nothing of the bug gives the shrinker less to go by.
  private static let goals = [
    ("with domains", 0.95, Scenario.hardCases),
    ("untagged", 0.95, Scenario.hardCases.map(\.untagged)),
    ("blind", 0.80, Scenario.hardCases.map(\.blind)),
  ]

  @Test func `hard cases end at the minimum that brute force finds`() async throws {
    let seeds = min(max(ScenarioTests.seeds, 10), 40)
    for (name, goal, cases) in Self.goals {
      var minimal = 0
      var missed: [String] = []
      for scenario in cases {
        let minimum = try #require(scenario.fewestCommands, "\(scenario.name)")
        for seed in 1...seeds {
          let settings = ExplorationSettings(runs: 200_000, seed: seed &* 1_000_003)
          let report = await LockStep(scenario, settings: settings) { Scenario.Subject() }.explore()
          let failure = try #require(report.failure, "\(scenario.testDescription)")
          #expect(failure.commands.count >= minimum, "\(scenario.name): \(failure)")
          if failure.commands.count <= minimum {
            minimal += 1
          } else {
            missed.append("\(scenario.name) \(failure.commands.count) instead of \(minimum)")
          }
        }
      }
      let all = cases.count * Int(seeds)
      print("hard cases \(name): \(minimal) of \(all) minimal")
      #expect(Double(minimal) >= goal * Double(all), "\(name): \(minimal) of \(all), \(missed)")
    }
  }
}
