import ExplorationEngine
import Foundation
import Testing

/// Bugs that are hard to shrink end at the fewest commands that show them, with nearly every seed.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign.
@Suite struct HardCaseTests {
  @Test func table() async throws {
    let seeds = min(SeededBugTests.seeds, 40)
    for (group, cases) in [("old", Scenario.all), ("new", Scenario.hardCases)] {
      var total = 0, all = 0
      for scenario in cases.flatMap({ [$0, $0.untagged] }) {
        var calls: [Int] = [], lengths: [Int: Int] = [:], full = 0
        let start = ContinuousClock.now
        for seed in 1...seeds {
          let settings = ExplorationSettings(runs: 200_000, seed: seed &* 1_000_003)
          let report = await LockStep(scenario, settings: settings) { Scenario.Subject() }.explore()
          guard let failure = report.failure else { print("not found", scenario.name); continue }
          calls.append(failure.calls.shrinking)
          lengths[failure.commands.count, default: 0] += 1
          if failure.isShrunkFully { full += 1 }
        }
        let least = lengths.keys.min() ?? 0
        total += calls.reduce(0, +)
        all += calls.count
        print("TABLE", group, scenario.testDescription.padding(toLength: 34, withPad: " ", startingAt: 0),
          "mean", calls.reduce(0, +) / max(calls.count, 1), "max", calls.max() ?? 0,
          "min", least, "share", 100 * (lengths[least] ?? 0) / max(calls.count, 1), "full", 100 * full / max(calls.count, 1), lengths.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " "), start.duration(to: .now))
      }
      print("TABLE", group, "mean", total / max(all, 1))
    }
  }
}
