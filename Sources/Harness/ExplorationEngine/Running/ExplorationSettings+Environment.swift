import Foundation

extension ExplorationSettings {
  /// Changes the settings that the environment names.
  ///
  /// - `EXPLORE_SECONDS`: the wall time in seconds, above 0; without `EXPLORE_RUNS` it alone
  ///   ends the exploration.
  /// - `EXPLORE_RUNS`: the number of runs, from 1; without `EXPLORE_SECONDS` it alone does.
  /// - `EXPLORE_SEED`: the seed of the first run, decimal or `0x` and hexadecimal.
  /// - `EXPLORE_SHARD`: `3/16` for the third of sixteen processes that share no seed.
  ///
  /// - Throws: ``ExplorationSettingsError`` for a variable with a value that it cannot have.
  public func applying(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ExplorationSettingsError) -> ExplorationSettings {
    var settings = self
    if let text = environment["EXPLORE_SECONDS"] {
      guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
        throw .init(variable: "EXPLORE_SECONDS", value: text, needs: "seconds above 0, such as 30")
      }
      settings.time = .seconds(seconds)
      settings.runs = .max
    }
    if let text = environment["EXPLORE_RUNS"] {
      guard let runs = Int(text), runs > 0 else {
        throw .init(variable: "EXPLORE_RUNS", value: text, needs: "a whole number from 1")
      }
      settings.runs = runs
      if environment["EXPLORE_SECONDS"] == nil { settings.time = nil }
    }
    if let text = environment["EXPLORE_SEED"] {
      let seed = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
      guard let seed else {
        throw .init(
          variable: "EXPLORE_SEED", value: text, needs: "a whole number from 0 to \(UInt64.max)")
      }
      settings.seed = seed
    }
    if let text = environment["EXPLORE_SHARD"] {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
        let shard = ExplorationShard(index, of: count)
      else {
        throw .init(
          variable: "EXPLORE_SHARD", value: text,
          needs: "a part of at most 65,536, such as 3/16 for the third of sixteen")
      }
      settings.shard = shard
    }
    return settings
  }
}

/// An environment variable with a value that it cannot have.
public struct ExplorationSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The variable's name.
  public let variable: String
  /// The value that was found.
  public let value: String
  /// What the value must be.
  public let needs: String

  public var description: String { "\(variable)='\(value)': it must be \(needs)" }
}
