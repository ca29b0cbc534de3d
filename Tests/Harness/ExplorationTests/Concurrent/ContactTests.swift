import ExplorationEngine
import Foundation
import LinearizabilityChecking
import Testing

/// Calls of a concurrent exploration overlap often enough to find races of a few nanoseconds.
///
/// `CONTRACT_SOAK_CONTACTS` sets the number of explorations of each race.
@Suite struct ContactTests {
  private static let explorations =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_CONTACTS"].flatMap(Int.init) ?? 4

  private func explore(_ race: Race?, seed: Int) async -> ConcurrentReport<RacySpecification> {
    // The settings of `exploreConcurrently`.
    let settings = ExplorationSettings(
      runs: 1_000, time: .seconds(1), seed: UInt64(seed) << 32, steps: 24)
    return await ConcurrentExplorer(RacySpecification(race: race), settings: settings) {
      RacySubject(race)
    }.explore()
  }

  /// Whether two threads meet depends on the machine's load, so the test asks for half of the
  /// explorations. On two busy cores it was 59 of 60; without the repetition of short runs, 22, and
  /// without waiting until the clients run at the same time, 27.
  @Test func `most explorations find a race within the default limits`() async {
    var found: [Race: Int] = [:]
    var times: [Race: Duration] = [:]
    for race in Race.allCases {
      for seed in 1...Self.explorations {
        let report = await explore(race, seed: seed)
        times[race, default: .zero] += report.duration
        if report.failure != nil { found[race, default: 0] += 1 }
      }
    }
    print(times.sorted { "\($0.key)" < "\($1.key)" })
    print("races found in \(Self.explorations) explorations each: \(found)")
    #expect(found.values.reduce(0, +) * 2 > Race.allCases.count * Self.explorations, "\(found)")
  }

  @Test func `no race is found in a subject with one lock`() async {
    let report = await explore(nil, seed: 1)
    #expect(report.failure == nil, "\(report)")
  }

  @Test func `calls are counted in every round, and short runs are repeated`() async {
    let counter = CallCounter()
    let settings = ExplorationSettings(runs: 20, seed: 1, steps: 24)
    let report = await ConcurrentExplorer(CountedSpecification(counter), settings: settings) {
      RacySubject(nil)
    }.explore()
    #expect(report.failure == nil && report.runs == 20)
    #expect(report.calls == counter.calls)
    #expect(report.calls > 20 * 24)
  }
}
