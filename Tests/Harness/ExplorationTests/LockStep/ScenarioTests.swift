import ExplorationEngine
import Foundation
import LockStepExploration
import Testing

/// Small ports with a seeded bug each, with and without domains for their arguments.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign.
@Suite struct ScenarioTests {
  static let seeds =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_SEEDS"].flatMap(UInt64.init) ?? 5

  /// Bugs with several equally small examples, or which exceed the call limit for some seeds.
  private static let difficult: Set<String> = [
    "six deletions", "counter that overflows", "transfer to oneself", "transfer of everything",
    "list that loses its third", "heap with one child", "ten misses", "eleven entries",
    "queue that wraps", "twice the key",
  ]

  @Test(arguments: Scenario.all.flatMap { [$0, $0.untagged] })
  func `a seeded bug is shrunk within 600 live calls`(scenario: Scenario) async throws {
    var examples: Set<[Scenario.Command]> = []
    var smallest = 0
    var unfinished = 0
    let isDifficult = Self.difficult.contains(scenario.name)
    let seeds = min(Self.seeds, 40)
    for seed in 1...seeds {
      let settings = ExplorationSettings(runs: 200_000, seed: seed &* 1_000_003)
      let report = await LockStep(scenario, settings: settings) { Scenario.Subject() }.explore()
      let failure = try #require(report.failure)
      #expect(report.health.isEmpty)
      #expect(!failure.isFlaky)
      #expect(failure.calls.shrinking <= 600)
      // The last pass over the door's commands exceeds the call limit.
      let mayExceed = isDifficult || !scenario.isTagged || scenario.name == "door that sticks"
      #expect(failure.isShrunkFully || mayExceed, "seed \(seed)")
      #expect(failure.commands.count >= scenario.minimum, "\(failure)")
      if failure.commands.count == scenario.minimum {
        smallest += 1
      } else if !failure.isShrunkFully {
        unfinished += 1
        continue
      }
      examples.insert(failure.commands)
    }
    if isDifficult, !scenario.isTagged || scenario.name != "ten misses" {
      #expect(smallest * 2 >= Int(seeds), "\(smallest) of \(seeds): \(examples)")
    } else {
      // Both a get and a delete show that an entry is missing.
      let mostExamples = ["seven entries", "ten misses"].contains(scenario.name) ? 2 : 1
      // One of 40 untagged ones takes more than 600 calls.
      #expect(
        smallest + unfinished == Int(seeds) && unfinished * 40 <= Int(seeds)
          && examples.count <= mostExamples, "\(smallest): \(examples)")
    }
  }
}

extension Scenario: CustomTestStringConvertible {
  var testDescription: String { name + (isTagged ? "" : ", untagged") + (isBlind ? ", blind" : "") }
}
