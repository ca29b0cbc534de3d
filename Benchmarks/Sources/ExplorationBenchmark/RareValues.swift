import ExplorationEngine
import LockStepExploration

/// A store of numbers with a bug at a few values, as `hypothesis_rare_values.py` has it.
struct RareValues: SynchronousSpecification {
  enum Bug: String, CaseIterable {
    case value
    case multiple

    var limit: Int { self == .value ? 3_599 : 1_000_000 }

    func stored(_ value: Int) -> Int {
      switch self {
      case .value: value == 2_718 ? -1 : value
      case .multiple: value > 0 && value % 4_096 == 0 ? -1 : value
      }
    }
  }

  enum Command: Sendable, Hashable, CustomStringConvertible {
    case put(Int, Int)
    case get(Int)

    var description: String {
      switch self {
      case .put(let key, let value): "put(\(key), \(value))"
      case .get(let key): "get(\(key))"
      }
    }
  }

  final class Store {
    var entries: [Int: Int] = [:]
  }

  let bug: Bug

  var initialState: [Int: Int] { [:] }

  func command(from choices: inout Choices, in state: [Int: Int]) -> Command {
    let key = choices.integer(in: 0...15, domain: "key")
    return choices.rule(of: 2) == 0
      ? .put(key, choices.integer(in: 0...bug.limit, domain: "value")) : .get(key)
  }

  func apply(_ command: Command, to state: inout [Int: Int]) -> Int? {
    switch command {
    case .put(let key, let value):
      state[key] = value
      return nil
    case .get(let key): return state[key]
    }
  }

  func perform(_ command: Command, on subject: Store) throws -> Int? {
    switch command {
    case .put(let key, let value):
      subject.entries[key] = bug.stored(value)
      return nil
    case .get(let key): return subject.entries[key]
    }
  }

  /// The number of seeds that find the bug within some runs of 50 commands.
  static func found(_ bug: Bug, seeds: Int, runs: Int) async -> Int {
    var found = 0
    for seed in 1...seeds {
      let settings = ExplorationSettings(runs: runs, seed: UInt64(seed) * 1_000_003)
      let report = await LockStep(RareValues(bug: bug), settings: settings) { Store() }.explore()
      if report.failure != nil { found += 1 }
    }
    return found
  }
}
