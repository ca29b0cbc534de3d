import ExplorationEngine
import LockStepExploration
import Testing

/// Bugs that depend on how values relate, not on which they are, are found within the default budget of `explore`.
///
/// `CONTRACT_SOAK_SEEDS` sets the number of seeds, 40 in the full campaign, which also has the bug with an example of
/// 256 commands. Of 120 explorations, 115 found the bug and 96 ended at the fewest commands; without related values
/// and long runs of one rule, 78 and 36.
@Suite struct RelatedValueTests {
  @Test func `nearly every seed finds a relation of values`() async {
    var found: [String: Int] = [:]
    var minimal: [String: Int] = [:]
    let seeds = ScenarioTests.seeds
    let bugs = Self.bugs.filter { $0.minimum < 200 || ScenarioTests.seeds > 5 }
    for scenario in bugs {
      for seed in 1...seeds {
        let settings = ExplorationSettings(runs: 200, seed: seed &* 1_000_003)
        let report = await LockStep(scenario, settings: settings) { Scenario.Subject() }.explore()
        guard let failure = report.failure else { continue }
        found[scenario.name, default: 0] += 1
        if failure.commands.count == scenario.minimum {
          minimal[scenario.name, default: 0] += 1
        }
      }
    }
    let sum = found.values.reduce(0, +)
    let all = bugs.count * Int(seeds)
    let smallest = minimal.values.reduce(0, +)
    let figures = bugs.map { bug in
      "\(bug.name): \(found[bug.name, default: 0]), \(minimal[bug.name, default: 0]) minimal"
    }
    print("relations with \(seeds) seeds: found \(sum) of \(all), \(smallest) minimal; \(figures)")
    #expect(Double(sum) >= 0.9 * Double(all), "\(figures)")
    #expect(Double(smallest) >= 0.75 * Double(sum), "\(figures)")
  }

  private static let amount = Scenario.Argument(domain: "amount", range: 1...10_000)
  private static let offset = Scenario.Argument(domain: "offset", range: 0...100_000)

  /// A port that is wrong where a command and the state before it have a relation.
  private static func port(
    _ name: String, minimum: Int, _ rules: [(name: String, arguments: [Scenario.Argument])],
    _ update: @escaping Scenario.Step,
    isWrong: @escaping @Sendable (Scenario.Command, Scenario.World) -> Bool
  ) -> Scenario {
    Scenario(name: name, minimum: minimum, rules: rules, model: update) { command, world in
      let before = world
      let response = update(command, &world)
      return isWrong(command, before) ? [-1] : response
    }
  }

  private static let bugs = sizes + sums + counts

  // MARK: - Sizes

  private static func append(_ command: Scenario.Command, _ world: inout Scenario.World) -> [Int] {
    if command.name == "append" { world.total += command.arguments[0] }
    return command.name == "size" ? [world.total] : []
  }

  private static let sizes: [Scenario] = [
    port(
      "seek to the end", minimum: 2,
      [("append", [amount]), ("seek", [offset]), ("size", [])], append
    ) { command, world in
      command.name == "seek" && world.total > 0 && command.arguments[0] == world.total
    },
    port(
      "range that ends at the end", minimum: 2,
      [("append", [amount]), ("read", [offset, amount]), ("size", [])], append
    ) { command, world in
      command.name == "read" && command.arguments[0] > 0
        && command.arguments[0] + command.arguments[1] == world.total
    },
    port(
      "truncation to half", minimum: 2,
      [("append", [amount]), ("truncate", [offset]), ("size", [])], append
    ) { command, world in
      command.name == "truncate" && world.total > 2 && command.arguments[0] == world.total / 2
    },
  ]

  // MARK: - Sums and differences

  private static func put(_ command: Scenario.Command, _ world: inout Scenario.World) -> [Int] {
    if command.name == "put" { world.list.append(command.arguments[0]) }
    return command.name == "last" ? [world.list.last ?? 0] : []
  }

  private static let sums: [Scenario] = [
    port(
      "checksum that wraps to zero", minimum: 1, [("append", [amount]), ("size", [])]
    ) { command, world in
      if command.name == "append" { world.total = (world.total + command.arguments[0]) % 256 }
      return command.name == "size" ? [world.total] : []
    } isWrong: { command, world in
      command.name == "append" && (world.total + command.arguments[0]) % 256 == 0
    },
    port("difference of the last two", minimum: 3, [("put", [amount]), ("last", [])], put) {
      command, world in
      guard command.name == "put", let last = world.list.last, world.list.count > 1 else {
        return false
      }
      return command.arguments[0] == last - world.list[world.list.count - 2]
    },
    port("sum of the last two", minimum: 3, [("put", [amount]), ("last", [])], put) {
      command, world in
      guard command.name == "put", let last = world.list.last, world.list.count > 1 else {
        return false
      }
      return command.arguments[0] == last + world.list[world.list.count - 2]
    },
    port("twice the last", minimum: 2, [("put", [amount]), ("last", [])], put) { command, world in
      guard command.name == "put", let last = world.list.last else { return false }
      return command.arguments[0] == 2 * last
    },
    port(
      "all that is left of two accounts", minimum: 3,
      [("pay", [.key, amount]), ("take", [offset]), ("sum", [])]
    ) { command, world in
      if command.name == "pay" {
        world.map[command.arguments[0], default: 0] += command.arguments[1]
      }
      return command.name == "sum" ? [world.map.values.reduce(0, +)] : []
    } isWrong: { command, world in
      command.name == "take" && world.map.count > 1
        && command.arguments[0] == world.map.values.reduce(0, +)
    },
  ]

  // MARK: - Counts

  private static let counts: [Scenario] = [
    port("256th entry", minimum: 256, [("put", [amount]), ("last", [])], put) { command, world in
      command.name == "put" && world.list.count == 255
    },
    port(
      "ring of 64 that wraps", minimum: 64,
      [("push", [.value]), ("pop", []), ("peek", [])]
    ) { command, world in
      if command.name == "push" { world.list.append(command.arguments[0]) }
      if command.name == "pop", !world.list.isEmpty { world.list.removeFirst() }
      return command.name == "peek" ? [world.list.first ?? -1] : []
    } isWrong: { command, world in
      command.name == "push" && world.list.count == 63
    },
    port(
      "key that is the number of entries", minimum: 4,
      [("put", [offset]), ("get", [offset]), ("last", [])], put
    ) { command, world in
      command.name == "get" && world.list.count > 2 && command.arguments[0] == world.list.count
    },
    port(
      "hundred calls of one kind in a row", minimum: 100,
      [("tick", []), ("rest", []), ("read", [])]
    ) { command, world in
      world.total = command.name == "tick" ? world.total + 1 : 0
      return command.name == "read" ? [world.total] : []
    } isWrong: { command, world in
      command.name == "tick" && world.total == 99
    },
  ]
}
