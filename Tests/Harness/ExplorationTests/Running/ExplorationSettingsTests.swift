import Testing

@testable import ExplorationEngine
@testable import InterleavingExploration

@Suite struct ExplorationSettingsTests {
  @Test func `environment variables change only their own settings`() throws {
    let settings = try ExplorationSettings(runs: 5, seed: 1).applying(environment: [
      "CONTRACT_EXPLORE_SEED": "0x10", "CONTRACT_EXPLORE_SHARD": "3/16",
    ])
    #expect(settings.seed == 16)
    #expect(settings.shard == Shard(3, of: 16))
    #expect(settings.runs == 5)
    #expect(settings.time == nil)
  }

  @Test func `a variable for one limit removes the other, and two variables set both`() throws {
    let seconds = try ExplorationSettings().applying(environment: [
      "CONTRACT_EXPLORE_SECONDS": "1.5"
    ])
    #expect(seconds.time == .milliseconds(1500))
    #expect(seconds.runs == .max)
    let both = try ExplorationSettings().applying(environment: [
      "CONTRACT_EXPLORE_SECONDS": "1.5", "CONTRACT_EXPLORE_RUNS": "7",
    ])
    #expect(both.time == .milliseconds(1500))
    #expect(both.runs == 7)
    let runs = try ExplorationSettings(time: .seconds(1)).applying(environment: [
      "CONTRACT_EXPLORE_RUNS": "7"
    ])
    #expect(runs.time == nil)
    #expect(runs.runs == 7)
  }

  @Test(arguments: [
    ("CONTRACT_EXPLORE_SECONDS", "0"), ("CONTRACT_EXPLORE_SECONDS", "soon"),
    ("CONTRACT_EXPLORE_SECONDS", "nan"),
    ("CONTRACT_EXPLORE_SECONDS", "inf"), ("CONTRACT_EXPLORE_RUNS", "-1"),
    ("CONTRACT_EXPLORE_RUNS", "0"),
    ("CONTRACT_EXPLORE_RUNS", ""), ("CONTRACT_EXPLORE_SEED", "-4"),
    ("CONTRACT_EXPLORE_SEED", "99999999999999999999"),
    ("CONTRACT_EXPLORE_SHARD", "0/4"), ("CONTRACT_EXPLORE_SHARD", "5/4"),
    ("CONTRACT_EXPLORE_SHARD", "4"),
    ("CONTRACT_EXPLORE_SHARD", "1/70000"), ("CONTRACT_EXPLORE_SHARD", "1/2/3"),
    ("CONTRACT_EXPLORE_SHARD", "/"),
  ])
  func `an invalid value is an error that names the variable`(
    variable: String, value: String
  ) throws {
    let error = try #require(throws: EnvironmentError.self) {
      try ExplorationSettings().applying(environment: [variable: value])
    }
    #expect(error.variable == variable)
    #expect(error.description.contains("\(variable)='\(value)'"))
  }

  @Test(arguments: [0, 1_000_003, UInt64.max] as [UInt64])
  func `shards have different seeds, whatever their first seeds are`(seed: UInt64) throws {
    var seen: Set<UInt64> = []
    for index in 1...16 {
      let shard = try #require(Shard(index, of: 16))
      // Neighbouring first seeds would overlap if the shard were not part of the seed.
      let settings = ExplorationSettings(seed: seed &+ UInt64(index % 3), shard: shard)
      for run in 0..<500 { #expect(seen.insert(settings.seed(ofRun: run)).inserted) }
    }
    #expect(seen.count == 8000)
  }

  @Test func `shards that use many consecutive seeds have different ones`() throws {
    var seen: [ClosedRange<UInt64>] = []
    for index in 1...16 {
      let settings = try ExplorationSettings(seed: 7).applying(environment: [
        "CONTRACT_EXPLORE_SHARD": "\(index)/16"
      ])
      let first = settings.firstSeedOfMany
      let mine = first...first + 1_000_000_000
      #expect(!seen.contains { $0.overlaps(mine) })
      seen.append(mine)
    }
    #expect(ExplorationSettings(seed: 7).firstSeedOfMany == 7)
  }

  @Test func `an exploration of interleavings uses a seed of its shard`() async throws {
    var settings = ExplorationSettings.interleavings(seed: 7)
    settings.runs = 1
    settings.shard = try #require(Shard(2, of: 2))
    let report = await exploreInterleavings(settings) { $0.task("only") {} }
    #expect(report.seed == 7 + 1 << 32)
  }

  @Test func `without shards, seeds count up from the first, so that one run can be repeated`() {
    let settings = ExplorationSettings(seed: 40)
    #expect(settings.seed(ofRun: 2) == 42)
  }
}
