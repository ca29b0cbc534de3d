import ExplorationEngine

/// An asynchronous port, as an app declares it.
protocol DictionaryPort: Sendable {
  func put(_ key: Int, _ value: Int) async
  func get(_ key: Int) async -> Int?
  func delete(_ key: Int) async -> Bool
}

actor DictionaryActor: DictionaryPort {
  private var entries: [Int: Int] = [:]

  func put(_ key: Int, _ value: Int) { entries[key] = value }
  func get(_ key: Int) -> Int? { entries[key] }
  func delete(_ key: Int) -> Bool { entries.removeValue(forKey: key) != nil }
}

/// An actor that forwards to another, both as existentials.
actor DictionaryFront: DictionaryPort {
  private let store: any DictionaryPort

  init(_ store: any DictionaryPort) { self.store = store }

  func put(_ key: Int, _ value: Int) async { await store.put(key, value) }
  func get(_ key: Int) async -> Int? { await store.get(key) }
  func delete(_ key: Int) async -> Bool { await store.delete(key) }
}

/// The dictionary workload on a port that suspends.
struct AsynchronousWorkload: Specification {
  typealias Command = DictionarySpecification.Command
  typealias Response = DictionarySpecification.Response

  private let base = DictionarySpecification()

  var initialState: [Int: Int] { [:] }

  func command(from choices: inout Choices, in state: [Int: Int]) -> Command {
    base.command(from: &choices, in: state)
  }

  func apply(_ command: Command, to state: inout [Int: Int]) -> Response {
    base.apply(command, to: &state)
  }

  func perform(_ command: Command, on subject: any DictionaryPort) async throws -> Response {
    switch command {
    case .put(let key, let value):
      await subject.put(key, value)
      return .done
    case .get(let key): return .value(await subject.get(key))
    case .delete(let key): return .deleted(await subject.delete(key))
    }
  }
}
