import ExplorationEngine

/// The workload of the measurements: put, get and delete on a dictionary.
struct DictionarySpecification: SynchronousSpecification {
  enum Command: Sendable, Hashable, Codable {
    case put(Int, Int)
    case get(Int)
    case delete(Int)
  }

  enum Response: Sendable, Equatable, Codable {
    case done
    case value(Int?)
    case deleted(Bool)
  }

  var initialState: [Int: Int] { [:] }
  var kinds: [String] { ["put", "get", "delete"] }

  func command(from choices: inout Choices, in state: [Int: Int]) -> Command {
    switch choices.rule(of: 3) {
    case 0:
      .put(
        choices.integer(in: 0...15, domain: "key"), choices.integer(in: 0...99, domain: "value"))
    case 1: .get(choices.integer(in: 0...15, domain: "key"))
    default: .delete(choices.integer(in: 0...15, domain: "key"))
    }
  }

  func apply(_ command: Command, to state: inout [Int: Int]) -> Response {
    switch command {
    case .put(let key, let value):
      state[key] = value
      return .done
    case .get(let key): return .value(state[key])
    case .delete(let key): return .deleted(state.removeValue(forKey: key) != nil)
    }
  }

  func perform(_ command: Command, on subject: BuggyDictionary) throws -> Response {
    try subject.run(command)
  }

  func isReadOnly(_ command: Command) -> Bool {
    if case .get = command { return true }
    return false
  }
}

extension DictionarySpecification.Command: CustomStringConvertible {
  var description: String {
    switch self {
    case .put(let key, let value): "put(\(key), \(value))"
    case .get(let key): "get(\(key))"
    case .delete(let key): "delete(\(key))"
    }
  }
}

/// The seeded bugs of a dictionary.
enum DictionaryBug: Sendable {
  /// A put on an existing key marks it. A delete of a marked key returns `true` but does not
  /// delete.
  case b1
  /// A put on a key that was deleted before is ignored.
  case b2
  /// After ten deletes of missing keys, the next put is ignored.
  case twelve
}

struct DictionaryError: Error {}

/// A dictionary with one seeded bug, or none.
final class BuggyDictionary {
  let bug: DictionaryBug?
  /// Called before each command.
  let onCommand: ((DictionarySpecification.Command) throws -> Void)?
  private var entries: [Int: Int] = [:]
  private var marked: Set<Int> = []
  private var deleted: Set<Int> = []
  private var misses = 0

  init(
    _ bug: DictionaryBug? = nil,
    onCommand: ((DictionarySpecification.Command) throws -> Void)? = nil
  ) {
    self.bug = bug
    self.onCommand = onCommand
  }

  func run(_ command: DictionarySpecification.Command) throws
    -> DictionarySpecification.Response
  {
    try onCommand?(command)
    switch command {
    case .put(let key, let value):
      put(key, value)
      return .done
    case .get(let key):
      return .value(entries[key])
    case .delete(let key):
      return .deleted(delete(key))
    }
  }

  private func put(_ key: Int, _ value: Int) {
    switch bug {
    case .b1 where entries[key] != nil: marked.insert(key)
    case .b2 where deleted.contains(key): return
    case .twelve:
      defer { misses = 0 }
      if misses >= 10 { return }
    default: break
    }
    entries[key] = value
  }

  private func delete(_ key: Int) -> Bool {
    if bug == .b1, marked.contains(key) { return entries[key] != nil }
    let isFound = entries.removeValue(forKey: key) != nil
    if isFound { deleted.insert(key) }
    if bug == .twelve, !isFound { misses += 1 }
    return isFound
  }
}
