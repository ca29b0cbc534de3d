import ExplorationEngine

/// A command of the workload that every tool runs: put, get and delete with equal probability, keys
/// 0 to 15, values 0 to 99, 50 commands in a run.
enum DictionaryCommand: Sendable, Hashable {
  case put(Int, Int)
  case get(Int)
  case delete(Int)
}

enum DictionaryResponse: Sendable, Equatable {
  case done
  case value(Int?)
  case deleted(Bool)
}

extension DictionaryCommand: CustomStringConvertible {
  var description: String {
    switch self {
    case .put(let key, let value): "put(\(key), \(value))"
    case .get(let key): "get(\(key))"
    case .delete(let key): "delete(\(key))"
    }
  }
}

/// The model and the generator of both workloads.
protocol DictionaryWorkload: Specification
where
  State == [Int: Int], Command == DictionaryCommand, Response == DictionaryResponse
{}

extension DictionaryWorkload {
  var initialState: [Int: Int] { [:] }

  func command(from choices: inout Choices, in state: [Int: Int]) -> DictionaryCommand {
    switch choices.rule(of: 3) {
    case 0:
      .put(
        choices.integer(in: 0...15, domain: "key"), choices.integer(in: 0...99, domain: "value"))
    case 1: .get(choices.integer(in: 0...15, domain: "key"))
    default: .delete(choices.integer(in: 0...15, domain: "key"))
    }
  }

  func apply(_ command: DictionaryCommand, to state: inout [Int: Int]) -> DictionaryResponse {
    switch command {
    case .put(let key, let value):
      state[key] = value
      return .done
    case .get(let key): return .value(state[key])
    case .delete(let key): return .deleted(state.removeValue(forKey: key) != nil)
    }
  }
}

/// A synchronous subject.
final class DictionaryStore {
  private var entries: [Int: Int] = [:]

  func put(_ key: Int, _ value: Int) { entries[key] = value }
  func get(_ key: Int) -> Int? { entries[key] }
  func delete(_ key: Int) -> Bool { entries.removeValue(forKey: key) != nil }
}

struct SynchronousWorkload: DictionaryWorkload, SynchronousSpecification {
  func perform(
    _ command: DictionaryCommand, on subject: DictionaryStore
  ) throws -> DictionaryResponse {
    switch command {
    case .put(let key, let value):
      subject.put(key, value)
      return .done
    case .get(let key): return .value(subject.get(key))
    case .delete(let key): return .deleted(subject.delete(key))
    }
  }
}

/// An asynchronous port, as an app declares it.
protocol AsyncDictionary: Sendable {
  func put(_ key: Int, _ value: Int) async
  func get(_ key: Int) async -> Int?
  func delete(_ key: Int) async -> Bool
}

actor DictionaryActor: AsyncDictionary {
  private var entries: [Int: Int] = [:]

  func put(_ key: Int, _ value: Int) { entries[key] = value }
  func get(_ key: Int) -> Int? { entries[key] }
  func delete(_ key: Int) -> Bool { entries.removeValue(forKey: key) != nil }
}

/// An actor that forwards to another, both as existentials.
actor DictionaryFront: AsyncDictionary {
  private let store: any AsyncDictionary

  init(_ store: any AsyncDictionary) { self.store = store }

  func put(_ key: Int, _ value: Int) async { await store.put(key, value) }
  func get(_ key: Int) async -> Int? { await store.get(key) }
  func delete(_ key: Int) async -> Bool { await store.delete(key) }
}

struct AsynchronousWorkload: DictionaryWorkload {
  func perform(
    _ command: DictionaryCommand, on subject: any AsyncDictionary
  ) async throws -> DictionaryResponse {
    switch command {
    case .put(let key, let value):
      await subject.put(key, value)
      return .done
    case .get(let key): return .value(await subject.get(key))
    case .delete(let key): return .deleted(await subject.delete(key))
    }
  }
}
