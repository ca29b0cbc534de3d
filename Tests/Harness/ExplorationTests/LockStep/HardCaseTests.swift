import ExplorationEngine
import Foundation
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
    let seeds = min(max(SeededBugTests.seeds, 10), 40)
    for (name, goal, cases) in Self.goals {
      var minimal = 0
      var missed: [String] = []
      for scenario in cases {
        let minimum = try #require(Self.minimum(of: scenario), "\(scenario.name)")
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

  /// The fewest commands for which the subject's response differs from the model's, by a search of
  /// all sequences of a small set of commands.
  private static func minimum(of scenario: Scenario) -> Int? {
    struct Pair: Hashable {
      var model = Scenario.World()
      var subject = Scenario.World()
    }
    let commands = scenario.rules.flatMap { rule in
      rule.arguments.reduce([[]]) { lists, argument in
        lists.flatMap { list in samples(argument, of: scenario).map { list + [$0] } }
      }.map { Scenario.Command(name: rule.name, arguments: $0) }
    }
    var reached: Set = [Pair()]
    var frontier = [Pair()]
    for length in 1...20 {
      var next: [Pair] = []
      for pair in frontier {
        for command in commands {
          var new = pair
          if scenario.model(command, &new.model) != scenario.subject(command, &new.subject) {
            return length
          }
          if reached.insert(new).inserted { next.append(new) }
        }
      }
      frontier = next
    }
    return nil
  }

  /// Values that suffice to show each bug with the fewest commands.
  private static func samples(_ argument: Scenario.Argument, of scenario: Scenario) -> [Int] {
    let values =
      switch scenario.name {
      case "cursor at the start", "nested rollback": [0]
      case "expired while touched": [0, 50, 60, 99]
      case "resized table": Array(0...5)
      case "path of four", "cycle of three", "two writers on one file": Array(0...4)
      default: Array(0...11) + [50, 60, 90, 99, argument.range.upperBound]
      }
    return Set(values.filter(argument.range.contains)).sorted()
  }
}
