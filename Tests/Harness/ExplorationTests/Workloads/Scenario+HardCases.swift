import ExplorationEngine

// Bugs whose examples are hard to shrink, in the manner of those on which shrinkers are compared:
// values that must agree, commands that can only be removed together, ids that shift, and goals
// that a shorter but different path reaches.

extension Scenario {
  static let hardCases: [Scenario] =
    countedCases + relatedCases + sequenceCases + numberedCases + pathCases

  // MARK: - Commands that can only be removed together

  static let countedCases: [Scenario] = [
    // Hidden states count modulo a number, so one command fewer hides the bug.
    counter("armed at three of five", [("tick", []), ("arm", [.value])]) { command, world in
      if command.name == "tick" { world.total = (world.total + 1) % 5 }
      if command.name == "arm", command.arguments[0] >= 50 { world.hidden[0] = 1 }
      return world.total == 3 && world.hidden[0] == 1
    },
    counter("odd and odd", [("left", []), ("right", []), ("turn", [.digit])]) { command, world in
      world.hidden[command.name == "left" ? 0 : 1, default: 0] += command.name == "turn" ? 0 : 1
      let isOdd = world.hidden[0, default: 0] % 2 == 1 && world.hidden[1, default: 0] % 2 == 1
      return command.name == "turn" && command.arguments[0] == 7 && isOdd
    },
    counter("sixteen steps", [("step", []), ("back", [])]) { command, world in
      world.total += command.name == "step" ? 1 : -1
      return world.total >= 16
    },
    counter("every third write of a key", [("write", [.key]), ("other", [.key])]) {
      command, world in
      guard command.name == "write" else { return false }
      world.map[command.arguments[0], default: 0] += 1
      return world.map[command.arguments[0]] == 3
    },
    counter("depth four and back", [("open", []), ("close", [])]) { command, world in
      let depth = max(world.total + (command.name == "open" ? 1 : -1), 0)
      world.total = depth
      if depth == 4 { world.hidden[0] = 1 }
      return depth == 0 && world.hidden[0] == 1
    },
    counter("ten floors", [("up", []), ("down", []), ("ring", [.key])]) { command, world in
      if command.name == "up" { world.total = min(world.total + 1, 5) }
      if command.name == "down" { world.total = max(world.total - 1, 0) }
      if world.total == 5 { world.hidden[0] = 1 }
      return command.name == "ring" && world.total == 0 && world.hidden[0] == 1
    },
  ]

  // MARK: - Values that must agree

  private static let relatedCases: [Scenario] = [
    counter("two that differ by one", [("put", [.value]), ("skip", [])]) { command, world in
      guard command.name == "put" else { return false }
      defer { world.list.append(command.arguments[0]) }
      return command.arguments[0] >= 10 && world.list.last == command.arguments[0] + 1
    },
    counter("two large equal ones", [("put", [.value])]) { command, world in
      defer { world.list.append(command.arguments[0]) }
      return command.arguments[0] >= 10 && world.list.contains(command.arguments[0])
    },
    counter(
      "sum that overflows", [("add", [Argument(domain: "x", range: 0...30_000)]), ("no", [])]
    ) { command, world in
      world.total += command.arguments.first ?? 0
      return world.total > 32_767
    },
    counter("coupled places", [("set", [.place, .place])]) { command, world in
      world.map[command.arguments[0]] = command.arguments[1]
      return world.map.contains { $0.key != $0.value && world.map[$0.value] == $0.key }
    },
    counter("three distinct", [("put", [.value]), ("clear", [])]) { command, world in
      if command.name == "clear" { world.map = [:] }
      if let value = command.arguments.first { world.map[value] = 1 }
      return world.map.count >= 3 && command.name == "put"
    },
    counter("three equal in a row", [("put", [.digit])]) { command, world in
      world.list.append(command.arguments[0])
      return world.list.count > 2 && Set(world.list.suffix(3)).count == 1
    },
    counter(
      "withdrawn to the last cent", [("pay", [.value]), ("take", [.value]), ("close", [])]
    ) { command, world in
      if command.name == "pay" { world.total += command.arguments[0] }
      if command.name == "take", command.arguments[0] <= world.total, command.arguments[0] > 0 {
        world.total -= command.arguments[0]
        world.hidden[0] = 1
      }
      return command.name == "close" && world.total == 0 && world.hidden[0] == 1
    },
    counter("touching intervals", [("add", [.digit, .digit])]) { command, world in
      let (low, high) = (command.arguments.min() ?? 0, command.arguments.max() ?? 0)
      defer { world.map[low] = max(high, world.map[low] ?? 0) }
      return low < high && world.map.contains { $0.value > $0.key && $0.value + 1 == low }
    },
  ]

  // MARK: - Orders

  private static let sequenceCases: [Scenario] = [
    counter("code 3 1 4", [("enter", [.digit])]) { command, world in
      world.list.append(command.arguments[0])
      return world.list.suffix(3) == [3, 1, 4]
    },
    counter(
      "redo after an edit", [("edit", [.digit]), ("undo", []), ("redo", [])]
    ) { command, world in
      // Undone edits should be dropped by the next edit.
      switch command.name {
      case "edit": world.total += 1
      case "undo" where world.total > 0:
        world.total -= 1
        world.hidden[0, default: 0] += 1
      case "redo" where world.hidden[0, default: 0] > 0 && world.total > 0:
        return true
      default: break
      }
      return false
    },
    counter(
      "nested rollback", [("begin", []), ("put", [.digit]), ("commit", []), ("rollback", [])]
    ) { command, world in
      switch command.name {
      case "begin": world.list.append(0)
      case "put": if !world.list.isEmpty { world.list[world.list.count - 1] += 1 }
      case "commit":
        if let writes = world.list.popLast(), !world.list.isEmpty {
          world.list[world.list.count - 1] += writes > 0 ? 100 : 0
        }
      default: return (world.list.popLast() ?? 0) >= 100
      }
      return false
    },
    counter(
      "expired while touched",
      [("put", [.key]), ("wait", [.value]), ("touch", [.key]), ("get", [.key])]
    ) { command, world in
      guard let argument = command.arguments.first else { return false }
      switch command.name {
      case "put": world.map[argument] = world.total
      case "wait": world.total += argument
      case "touch": if world.map[argument] != nil { world.hidden[argument] = world.total }
      default:
        guard let begin = world.map[argument], let touched = world.hidden[argument] else {
          return false
        }
        return world.total - begin >= 120 && world.total - touched < 60
      }
      return false
    },
    counter(
      "armed at both ends", [("high", [.value]), ("low", [.value]), ("run", [])]
    ) { command, world in
      if command.name == "high", command.arguments[0] >= 90 { world.hidden[0] = 1 }
      if command.name == "low", world.hidden[0] == 1, command.arguments[0] <= 5,
        command.arguments[0] > 2
      {
        world.hidden[1] = 1
      }
      return command.name == "run" && world.hidden[1] == 1
    },
    counter(
      "cursor at the start", [("type", [.digit]), ("left", []), ("right", []), ("erase", [])]
    ) { command, world in
      switch command.name {
      case "type":
        world.list.insert(command.arguments[0], at: world.total)
        world.total += 1
      case "left": world.total = max(world.total - 1, 0)
      case "right": world.total = min(world.total + 1, world.list.count)
      default:
        if world.total == 0 { return world.list.count >= 3 }
        world.total -= 1
        world.list.remove(at: world.total)
      }
      return false
    },
  ]

  // MARK: - Ids that earlier commands give

  private static let numberedCases: [Scenario] = [
    counter("third handle closed", [("open", []), ("close", [.place])]) { command, world in
      if command.name == "open" {
        world.list.append(1)
        return world.hidden[0] == 1
      }
      guard command.arguments[0] < world.list.count, world.list[command.arguments[0]] == 1 else {
        return false
      }
      world.list[command.arguments[0]] = 0
      if command.arguments[0] >= 2 { world.hidden[0] = 1 }
      return false
    },
    counter(
      "two writers on one file", [("create", []), ("open", [.place]), ("write", [.place])]
    ) { command, world in
      switch command.name {
      case "create": world.total += 1
      case "open": if command.arguments[0] < world.total { world.list.append(command.arguments[0]) }
      default:
        guard command.arguments[0] < world.list.count else { return false }
        let file = world.list[command.arguments[0]]
        world.hidden[command.arguments[0]] = file + 1
        return world.hidden.contains { $0.key != command.arguments[0] && $0.value == file + 1 }
      }
      return false
    },
    counter("cycle of three", [("link", [.place, .place])]) { command, world in
      let (from, to) = (command.arguments[0], command.arguments[1])
      guard from != to else { return false }
      world.map[from] = to
      guard let next = world.map[to], let last = world.map[next] else { return false }
      return next != from && last == from
    },
    counter("path of four", [("link", [.place, .place]), ("cut", [.place])]) { command, world in
      if command.name == "cut" { world.map[command.arguments[0]] = nil }
      if command.name == "link" { world.map[command.arguments[0]] = command.arguments[1] }
      return world.map.keys.contains { start in
        var seen: Set = [start]
        var node = start
        while let next = world.map[node], seen.insert(next).inserted { node = next }
        return seen.count >= 5
      }
    },
    counter(
      "resized table", [("insert", [.key]), ("remove", [.key]), ("find", [.key])]
    ) { command, world in
      let key = command.arguments[0]
      if command.name == "insert" { world.map[key] = 1 }
      if command.name == "remove", world.map.removeValue(forKey: key) != nil, world.map.count >= 5 {
        world.hidden[0] = 1
      }
      return command.name == "find" && world.hidden[0] == 1 && world.map[key] != nil
    },
  ]

  // MARK: - Goals with a shorter path

  private static let pathCases: [Scenario] = [
    counter(
      "four gallons", [("fill", [.bit]), ("empty", [.bit]), ("pour", [.bit])]
    ) { command, world in
      let size = [3, 5]
      let (from, to) = (command.arguments[0], 1 - command.arguments[0])
      switch command.name {
      case "fill": world.map[from] = size[from]
      case "empty": world.map[from] = 0
      default:
        let amount = min(world.map[from] ?? 0, size[to] - (world.map[to] ?? 0))
        world.map[from, default: 0] -= amount
        world.map[to, default: 0] += amount
      }
      return world.map[1] == 4
    },
    counter(
      "eleven by doubling", [("add", []), ("double", []), ("reset", [])]
    ) { command, world in
      switch command.name {
      case "add": world.total += 1
      case "double": world.total *= 2
      default: world.total = 0
      }
      if world.total > 1_000 { world.total = 0 }
      return world.total == 11
    },
    counter(
      "corner of a grid", [("north", []), ("south", []), ("east", []), ("west", [])]
    ) { command, world in
      switch command.name {
      case "north": world.map[0, default: 0] += 1
      case "south": world.map[0, default: 0] -= 1
      case "east": world.map[1, default: 0] += 1
      default: world.map[1, default: 0] -= 1
      }
      return world.map[0] == 4 && world.map[1] == 3
    },
    counter(
      "a set of exactly two", [("add", [.digit]), ("drop", [.digit]), ("seal", [])]
    ) { command, world in
      if command.name == "add" { world.map[command.arguments[0]] = 1 }
      if command.name == "drop" { world.map[command.arguments[0]] = nil }
      return command.name == "seal" && world.map.count == 2
        && world.map.keys.reduce(0, +) == 9
    },
    counter(
      "stack of a quotient", [("push", [.digit]), ("minus", []), ("over", [])]
    ) { command, world in
      guard command.name == "push" || world.list.count >= 2 else { return false }
      if command.name == "push" {
        world.list.append(command.arguments[0] + 1)
        return false
      }
      let (right, left) = (world.list.removeLast(), world.list.removeLast())
      if command.name == "over", right == 0 { return true }
      world.list.append(command.name == "minus" ? left - right : left / right)
      return false
    },
  ]

  /// A port whose state is a world, and a bug that shows as a wrong response when `isHit` is true.
  private static func counter(
    _ name: String, _ rules: [(name: String, arguments: [Argument])],
    _ isHit: @escaping @Sendable (Command, inout World) -> Bool
  ) -> Scenario {
    Scenario(
      name: name, minimum: 0, rules: rules,
      model: { command, world in
        _ = isHit(command, &world)
        return []
      },
      subject: { isHit($0, &$1) ? [1] : [] })
  }
}

extension Scenario.Argument {
  static let digit = Self(domain: "digit", range: 0...9)
  static let place = Self(domain: "place", range: 0...7)
  static let bit = Self(domain: "bit", range: 0...1)
}
