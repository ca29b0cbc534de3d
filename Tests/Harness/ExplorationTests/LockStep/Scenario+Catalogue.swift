extension Scenario {
  static let all: [Scenario] = [
    dictionary("marked", 4) { command, world in
      let key = command.arguments[0]
      if command.name == "put", world.map[key] != nil { world.hidden[key] = 1 }
      if command.name == "delete", world.hidden[key] != nil {
        return [world.map[key] == nil ? 0 : 1]
      }
      return correctDictionary(command, &world)
    },
    dictionary("grave", 4) { command, world in
      let key = command.arguments[0]
      if command.name == "put", world.hidden[key] != nil { return [] }
      let response = correctDictionary(command, &world)
      if command.name == "delete", response == [1] { world.hidden[key] = 1 }
      return response
    },
    dictionary("seven entries", 9) { command, world in
      let key = command.arguments[0]
      if command.name == "put", world.map[key] == nil, world.map.count >= 7 { return [] }
      return correctDictionary(command, &world)
    },
    dictionary("put get delete get put", 6) { command, world in
      let key = command.arguments[0]
      let stage = world.hidden[key] ?? 0
      switch command.name {
      case "put":
        world.hidden[key] = 1
        world.map[key] = command.arguments[1] + (stage == 4 ? 1 : 0)
        return []
      case "get": world.hidden[key] = stage == 1 ? 2 : stage == 3 ? 4 : 0
      default: world.hidden[key] = stage == 2 ? 3 : 0
      }
      return correctDictionary(command, &world)
    },
    dictionary("ten misses", 12) { command, world in
      if command.name == "put" {
        defer { world.total = 0 }
        if world.total >= 10 { return [] }
      }
      let response = correctDictionary(command, &world)
      if command.name == "delete", response == [0] { world.total += 1 }
      return response
    },
    dictionary("six deletions", 14) { command, world in
      if command.name == "put", world.total >= 6 { return [] }
      let response = correctDictionary(command, &world)
      if command.name == "delete", response == [1] { world.total += 1 }
      return response
    },
    dictionary("eleven entries", 13) { command, world in
      let key = command.arguments[0]
      if command.name == "put", world.map[key] == nil, world.map.count >= 11 { return [] }
      return correctDictionary(command, &world)
    },
    dictionary("delete by value", 4) { command, world in
      let key = command.arguments[0]
      let value = world.map[key]
      let response = correctDictionary(command, &world)
      if command.name == "delete", response == [1] {
        world.map = world.map.filter { $0.value != value }
      }
      return response
    },
    dictionary("neighbour", 4) { command, world in
      let key = command.arguments[0]
      let response = correctDictionary(command, &world)
      if command.name == "delete", response == [1] { world.map[key + 1] = nil }
      return response
    },
    dictionary("twice the key", 4) { command, world in
      let key = command.arguments[0]
      let response = correctDictionary(command, &world)
      if command.name == "delete", response == [1] { world.map[key * 2] = nil }
      return response
    },
    dictionary("large value", 2) { command, world in
      var command = command
      if command.name == "put" { command.arguments[1] = min(command.arguments[1], 57) }
      return correctDictionary(command, &world)
    },
    Scenario(
      name: "colliding keys", minimum: 3,
      rules: [
        ("put", [Argument(domain: "key", range: 0...1023), .value]),
        ("get", [Argument(domain: "key", range: 0...1023)]),
      ], model: correctDictionary
    ) { command, world in
      let key = command.arguments[0]
      if command.name == "put", let old = world.map.keys.first(where: { $0 % 64 == key % 64 }) {
        world.map[old] = nil
      }
      return correctDictionary(command, &world)
    },
    Scenario(
      name: "ring of five", minimum: 7,
      rules: [("push", [.value]), ("pop", []), ("count", [])], model: correctQueue
    ) { command, world in
      if command.name == "push", world.list.count == 5 {
        world.list.insert(command.arguments[0], at: 0)
        return []
      }
      return correctQueue(command, &world)
    },
    Scenario(
      name: "queue that wraps", minimum: 9,
      rules: [("push", [.value]), ("pop", []), ("count", [])], model: correctQueue
    ) { command, world in
      // Every eighth push goes to the front.
      if command.name == "push" {
        world.total += 1
        if world.total % 8 == 0, world.list.count > 0 {
          world.list.insert(command.arguments[0], at: 0)
          return []
        }
      }
      return correctQueue(command, &world)
    },
    Scenario(
      name: "counter that overflows", minimum: 6,
      rules: [("add", [Argument(domain: "amount", range: 0...1000)]), ("read", []), ("reset", [])],
      model: correctCounter
    ) { command, world in
      let response = correctCounter(command, &world)
      if world.total >= 4096 { world.total -= 4096 }
      return response
    },
    Scenario(
      name: "sum of at least 100", minimum: 3,
      rules: [("add", [Argument(domain: "price", range: 0...60)]), ("read", []), ("reset", [])],
      model: correctCounter
    ) { command, world in
      let response = correctCounter(command, &world)
      return command.name == "read" && world.total >= 100 ? [world.total - 10] : response
    },
    Scenario(
      name: "cache of three", minimum: 6,
      rules: [("put", [.key, .value]), ("get", [.key])], model: { boundedCache(true, $0, &$1) },
      subject: { boundedCache(false, $0, &$1) }),
    Scenario(
      name: "transfer to oneself", minimum: 3,
      rules: [
        ("deposit", [.account, .value]), ("transfer", [.account, .account, .value]),
        ("balance", [.account]),
      ], model: correctBank
    ) { command, world in
      if command.name == "transfer", command.arguments[0] == command.arguments[1] {
        let (account, amount) = (command.arguments[0], command.arguments[2])
        guard world.map[account, default: 0] >= amount else { return [0] }
        world.map[account, default: 0] += amount
        return [1]
      }
      return correctBank(command, &world)
    },
    Scenario(
      name: "transfer of everything", minimum: 2,
      rules: [
        ("deposit", [.account, .value]), ("transfer", [.account, .account, .value]),
        ("balance", [.account]),
      ], model: correctBank
    ) { command, world in
      if command.name == "transfer", command.arguments[2] > 0,
        world.map[command.arguments[0]] == command.arguments[2]
      {
        return [0]
      }
      return correctBank(command, &world)
    },
    Scenario(
      name: "list that loses its third", minimum: 5,
      rules: [
        ("insert", [Argument(domain: "place", range: 0...7), .value]),
        ("remove", [Argument(domain: "place", range: 0...7)]), ("read", []),
      ], model: correctList
    ) { command, world in
      if command.name == "remove", world.list.count == 3, command.arguments[0] == 2 { return [1] }
      return correctList(command, &world)
    },
    Scenario(
      name: "heap with one child", minimum: 6, rules: [("push", [.value]), ("pop", [])],
      model: { command, world in
        if command.name == "push" {
          world.list.append(command.arguments[0])
          world.list.sort()
          return []
        }
        return world.list.isEmpty ? [] : [world.list.removeFirst()]
      }, subject: brokenHeap),
    Scenario(
      name: "door that sticks", minimum: 8,
      rules: [("open", []), ("close", []), ("lock", []), ("unlock", []), ("state", [])],
      model: correctDoor
    ) { command, world in
      // After two unlocks, an open and a close, the next lock has no effect.
      let response = correctDoor(command, &world)
      if command.name == "unlock", response == [1] { world.hidden[0, default: 0] += 1 }
      if command.name == "close", response == [1], world.hidden[0, default: 0] >= 2 {
        world.hidden[1] = 1
      }
      if command.name == "lock", response == [1], world.hidden[1] == 1 { world.total = 1 }
      return response
    },
  ]

  private static func dictionary(
    _ name: String, _ minimum: Int, _ subject: @escaping Step
  ) -> Scenario {
    Scenario(
      name: name, minimum: minimum,
      rules: [("put", [.key, .value]), ("get", [.key]), ("delete", [.key])],
      model: correctDictionary, subject: subject)
  }

  @Sendable private static func correctDictionary(
    _ command: Command, _ world: inout World
  ) -> [Int] {
    let key = command.arguments[0]
    switch command.name {
    case "put":
      world.map[key] = command.arguments[1]
      return []
    case "get": return world.map[key].map { [$0] } ?? []
    default: return [world.map.removeValue(forKey: key) == nil ? 0 : 1]
    }
  }

  @Sendable private static func correctQueue(_ command: Command, _ world: inout World) -> [Int] {
    switch command.name {
    case "push":
      world.list.append(command.arguments[0])
      return []
    case "pop": return world.list.isEmpty ? [] : [world.list.removeFirst()]
    default: return [world.list.count]
    }
  }

  @Sendable private static func correctCounter(_ command: Command, _ world: inout World) -> [Int] {
    switch command.name {
    case "add": world.total += command.arguments[0]
    case "reset": world.total = 0
    default: return [world.total]
    }
    return []
  }

  /// A cache of three entries that evicts the least recently used one. A read should count as a
  /// use.
  private static func boundedCache(
    _ readCounts: Bool, _ command: Command, _ world: inout World
  ) -> [Int] {
    let key = command.arguments[0]
    let isRead = command.name == "get"
    let found = world.map[key]
    if isRead, found == nil { return [] }
    if !isRead || readCounts {
      world.list.removeAll { $0 == key }
      world.list.append(key)
    }
    if isRead { return found.map { [$0] } ?? [] }
    world.map[key] = command.arguments[1]
    if world.list.count > 3 { world.map[world.list.removeFirst()] = nil }
    return []
  }

  @Sendable private static func correctBank(_ command: Command, _ world: inout World) -> [Int] {
    let account = command.arguments[0]
    switch command.name {
    case "deposit":
      world.map[account, default: 0] += command.arguments[1]
      return []
    case "transfer":
      guard world.map[account, default: 0] >= command.arguments[2] else { return [0] }
      world.map[account, default: 0] -= command.arguments[2]
      world.map[command.arguments[1], default: 0] += command.arguments[2]
      return [1]
    default: return [world.map[account, default: 0]]
    }
  }

  @Sendable private static func correctList(_ command: Command, _ world: inout World) -> [Int] {
    switch command.name {
    case "insert":
      world.list.insert(command.arguments[1], at: min(command.arguments[0], world.list.count))
      return []
    case "remove":
      guard command.arguments[0] < world.list.count else { return [0] }
      world.list.remove(at: command.arguments[0])
      return [1]
    default: return world.list
    }
  }

  /// A binary heap whose sift-down compares only the left child.
  @Sendable private static func brokenHeap(_ command: Command, _ world: inout World) -> [Int] {
    if command.name == "push" {
      world.list.append(command.arguments[0])
      var child = world.list.count - 1
      while child > 0, world.list[child] < world.list[(child - 1) / 2] {
        world.list.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
      return []
    }
    guard let top = world.list.first else { return [] }
    let last = world.list.removeLast()
    guard !world.list.isEmpty else { return [top] }
    world.list[0] = last
    var parent = 0
    while 2 * parent + 1 < world.list.count, world.list[2 * parent + 1] < world.list[parent] {
      world.list.swapAt(parent, 2 * parent + 1)
      parent = 2 * parent + 1
    }
    return [top]
  }

  @Sendable private static func correctDoor(_ command: Command, _ world: inout World) -> [Int] {
    // 0 closed, 1 open, 2 locked.
    let (from, to) =
      ["open": (0, 1), "close": (1, 0), "lock": (0, 2), "unlock": (2, 0)][command.name] ?? (-1, -1)
    if from < 0 { return [world.total] }
    guard world.total == from else { return [0] }
    world.total = to
    return [1]
  }
}

extension Scenario.Argument {
  static let account = Self(domain: "account", range: 0...3)
}
