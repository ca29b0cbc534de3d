import Foundation
import Testing

@testable import ExplorationEngine
@testable import LockStepExploration

/// Bugs at a few values of many are found within the default budget of `explore`, 200 runs.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign.
@Suite struct RareValueTests {
  /// Names a bug without its value, so that this file is the only one with the literal.
  enum Bug: CaseIterable {
    case oneOfManyThousands
    case multiples
    case wholeBalance
    case bounds
  }

  @Test(arguments: Bug.allCases)
  func `a bug at a rare value is found`(bug: Bug) async {
    var found = 0
    let seeds = max(ScenarioTests.seeds, 20)
    for seed in 1...seeds {
      let settings = ExplorationSettings(runs: 200, seed: seed &* 1_000_003)
      let report = await LockStep(Self.scenario(bug), settings: settings) { Scenario.Subject() }
        .explore()
      if report.failure != nil { found += 1 }
    }
    print("found \(bug) with \(found) of \(seeds) seeds")
    #expect(found * 20 >= Int(seeds) * 19, "\(found) of \(seeds)")
  }

  @Test func `a run that draws numbers of the model is drawn again exactly`() {
    let scenario = Self.scenario(.oneOfManyThousands)
    let runs = SeededRuns(ExplorationSettings(runs: 50, seed: 7), literals: [2_718, 99])
    for run in 0..<50 {
      let drawn = (0..<2).map { _ in
        var choices = runs.choices(isRecording: true)
        runs.start(run, &choices)
        return ShrinkCandidate(scenario, &choices, count: 50)
      }
      #expect(drawn[0].commands == drawn[1].commands)
      #expect(ShrinkCandidate(scenario, spans: drawn[0].spans).commands == drawn[0].commands)
    }
  }

  @Test func `literals are read from source code`() {
    let source = """
      let limit = 4_096 // not 5000
      let day = 24 * 60 * 60, mask = 0xff00, ratio = 17.25, name = "7000"
      for index in 100...200 where v2100 > 18 {}
      """
    #expect(
      SourceLiterals.integers(in: Data(source.utf8))
        == [4096, 24, 60, 1440, 60, 86_400, 0xff00, 100, 200, 18])
  }

  @Test(arguments: [
    0...99, -5...20, -20...5, -7 ... -3, Int.min...Int.max, 0...Int.max, -1_000_000...999_999,
  ])
  func `a value's rank is the inverse of the rank's value`(range: ClosedRange<Int>) {
    var choices = Choices(seed: 1, strategy: .uniform)
    for value in [range.lowerBound, range.upperBound]
      + (0..<200).map({ _ in
        choices.integer(in: range)
      })
    {
      #expect(Int(rank: value.rank(in: range), in: range) == value)
    }
  }

  private static func scenario(_ bug: Bug) -> Scenario {
    let range =
      switch bug {
      case .oneOfManyThousands: 0...3_599
      case .multiples: 0...1_000_000
      case .wholeBalance: 1...5_000
      case .bounds: -50_000...50_000
      }
    let value = Scenario.Argument(domain: "value", range: range)
    if bug == .wholeBalance {
      return Scenario(
        name: "\(bug)", minimum: 2, rules: [("pay", [value]), ("take", [value])],
        model: { take(isCorrect: true, $0, &$1) }, subject: { take(isCorrect: false, $0, &$1) })
    }
    let subject: Scenario.Step = { command, world in
      put(command, &world) { value in
        let isBad =
          switch bug {
          case .oneOfManyThousands: value == 2_718
          case .multiples: value > 0 && value % 4_096 == 0
          default: value == range.lowerBound + 1
          }
        return isBad ? -1 : value
      }
    }
    return Scenario(
      name: "\(bug)", minimum: 2, rules: [("put", [.key, value]), ("get", [.key])],
      model: { put($0, &$1) { $0 } }, subject: subject)
  }

  private static func put(
    _ command: Scenario.Command, _ world: inout Scenario.World, _ stored: (Int) -> Int
  ) -> [Int] {
    let key = command.arguments[0]
    if command.name == "put" { world.map[key] = stored(command.arguments[1]) }
    return command.name == "get" ? [world.map[key] ?? 0] : []
  }

  private static func take(
    isCorrect: Bool, _ command: Scenario.Command, _ world: inout Scenario.World
  ) -> [Int] {
    let amount = command.arguments[0]
    if command.name == "pay" {
      world.total += amount
      return [world.total]
    }
    guard isCorrect ? amount <= world.total : amount < world.total else { return [] }
    world.total -= amount
    return [world.total]
  }
}
