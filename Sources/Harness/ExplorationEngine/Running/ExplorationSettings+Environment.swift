import Foundation

extension ExplorationSettings {
  /// Changes the settings that the environment names.
  ///
  /// - `CONTRACT_EXPLORE_SECONDS`: the wall time in seconds, above 0; without `CONTRACT_EXPLORE_RUNS` it alone
  ///   ends the exploration.
  /// - `CONTRACT_EXPLORE_RUNS`: the number of runs, from 1; without `CONTRACT_EXPLORE_SECONDS` it alone does.
  /// - `CONTRACT_EXPLORE_SEED`: the seed of the first run, decimal or `0x` and hexadecimal.
  /// - `CONTRACT_EXPLORE_SHARD`: `3/16` for the third of sixteen processes that share no seed.
  ///
  /// - Throws: ``EnvironmentError`` for a variable with a value that it cannot have.
  public func applying(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(EnvironmentError) -> ExplorationSettings {
    var settings = self
    if let text = environment["CONTRACT_EXPLORE_SECONDS"] {
      guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
        throw EnvironmentError(
          variable: "CONTRACT_EXPLORE_SECONDS", value: text,
          expected: "a number of seconds above 0, such as 30")
      }
      settings.time = .seconds(seconds)
      settings.runs = .max
    }
    if let text = environment["CONTRACT_EXPLORE_RUNS"] {
      guard let runs = Int(text), runs > 0 else {
        throw EnvironmentError(
          variable: "CONTRACT_EXPLORE_RUNS", value: text, expected: "a whole number from 1")
      }
      settings.runs = runs
      if environment["CONTRACT_EXPLORE_SECONDS"] == nil { settings.time = nil }
    }
    if let text = environment["CONTRACT_EXPLORE_SEED"] {
      let seed = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
      guard let seed else {
        throw EnvironmentError(
          variable: "CONTRACT_EXPLORE_SEED", value: text,
          expected: "a whole number from 0 to \(UInt64.max)")
      }
      settings.seed = seed
    }
    if let text = environment["CONTRACT_EXPLORE_SHARD"] {
      settings.shard = try Shard(text, from: "CONTRACT_EXPLORE_SHARD")
    }
    return settings
  }
}
