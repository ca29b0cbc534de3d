import ExplorationEngine
import LockStepExploration
import Testing

/// Arguments that show a bug end at a smallest one, with nearly every seed.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign.
@Suite struct ValueCaseTests {
  @Test func `structured arguments end at a smallest one`() async throws {
    let seeds = min(ScenarioTests.seeds, 40)
    var minimal = 0
    var missed: [String] = []
    for valueCase in ValueCase.all {
      var calls = 0
      for seed in 1...seeds {
        let settings = ExplorationSettings(runs: 200_000, seed: seed &* 1_000_003)
        let report = await LockStep(valueCase, settings: settings) { ValueCase.Subject() }.explore()
        let failure = try #require(report.failure, "\(valueCase.name)")
        calls += failure.calls.shrinking
        if failure.commands.count == 1, valueCase.isMinimal(failure.commands[0]) {
          minimal += 1
        } else {
          missed.append("\(valueCase.name), seed \(seed): \(failure.commands)")
        }
      }
      #expect(calls <= 600 * Int(seeds), "\(valueCase.name)")
    }
    let all = ValueCase.all.count * Int(seeds)
    print("structured arguments: \(minimal) of \(all) minimal")
    #expect(Double(minimal) >= 0.95 * Double(all), "\(missed.joined(separator: "\n"))")
  }
}
