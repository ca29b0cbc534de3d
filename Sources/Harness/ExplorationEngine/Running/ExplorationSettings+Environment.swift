import Foundation

extension ExplorationSettings {
  /// The settings with the values of environment variables.
  ///
  /// - `CONTRACT_EXPLORE_SECONDS`: the time limit in seconds, above 0. Without
  ///   `CONTRACT_EXPLORE_RUNS`, the number of runs is then unlimited.
  /// - `CONTRACT_EXPLORE_RUNS`: the number of runs, from 1. Without `CONTRACT_EXPLORE_SECONDS`, the
  ///   time is then unlimited.
  /// - `CONTRACT_EXPLORE_SEED`: the seed of the first run, decimal, or hexadecimal with the prefix
  ///   `0x`.
  /// - `CONTRACT_EXPLORE_SHARD`: the shard of the process, such as `3/16`. Shards have different
  ///   seeds.
  ///
  /// - Parameter environment: The variables; by default those of the process.
  /// - Throws: ``EnvironmentError`` for a variable with an invalid value.
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
          variable: "CONTRACT_EXPLORE_RUNS", value: text, expected: "an integer from 1")
      }
      settings.runs = runs
      if environment["CONTRACT_EXPLORE_SECONDS"] == nil { settings.time = nil }
    }
    if let text = environment["CONTRACT_EXPLORE_SEED"] {
      let seed = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
      guard let seed else {
        throw EnvironmentError(
          variable: "CONTRACT_EXPLORE_SEED", value: text,
          expected: "an integer from 0 to \(UInt64.max)")
      }
      settings.seed = seed
    }
    if let text = environment["CONTRACT_EXPLORE_SHARD"] {
      settings.shard = try Shard(text, from: "CONTRACT_EXPLORE_SHARD")
    }
    return settings
  }
}
