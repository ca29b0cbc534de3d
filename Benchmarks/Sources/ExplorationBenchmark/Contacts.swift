import ExplorationEngine
import Foundation

extension ExplorationBenchmark {
  /// Prints how many concurrent explorations find a race, with the settings of
  /// `exploreConcurrently`.
  static func measureContacts() async {
    let explorations = 20
    title(
      "concurrent explorations of \(explorations), 1 s each, that find a race on "
        + "\(ProcessInfo.processInfo.activeProcessorCount) processors, and their mean time")
    for race in Race.allCases {
      var found = 0
      var time = Duration.zero
      for seed in 1...explorations {
        let settings = ExplorationSettings(
          runs: 1_000, time: .seconds(1), seed: UInt64(seed) << 32, steps: 24)
        let report = await ConcurrentExplorer(RacySpecification(race: race), settings: settings) {
          RacySubject(race)
        }.explore()
        if report.failure != nil { found += 1 }
        time += report.duration
      }
      let seconds = (time / explorations).formatted(.units(allowed: [.milliseconds]))
      row("\(race)", "\(found) (\(seconds))")
    }
  }
}
