import ContractTesting
import DriftExploration
import Synchronization
import Testing

/// Each test prints what an exploration of three seconds did.
@Suite(.serialized) struct DriftBenchmark {
  @Test func `drift, two dictionaries in memory`() async throws {
    try await exploreDrift(of: .fake, from: .real, settings: .drift(time: .seconds(3))) {
      Operation("put", .keys, .texts) { $0.put($1, $2) }
      Operation("get", .keys) { $0.get($1) }
      Operation("delete", .keys) { $0.delete($1) }
    }
  }

  @Test func `lock-step, the same dictionary and a model`() async throws {
    try await explore(Entries(), on: .fake, settings: .init(runs: .max, time: .seconds(3)))
  }

  @Test func `lock-step, the same dictionary in its own process`() async throws {
    try await explore(
      Entries(), on: .fake.inOwnProcess(), settings: .init(runs: .max, time: .seconds(3)))
  }
}

final class Store: Sendable {
  private let entries = Mutex<[String: String]>([:])

  func put(_ key: String, _ text: String) { entries.withLock { $0[key] = text } }
  func get(_ key: String) -> String? { entries.withLock { $0[key] } }
  func delete(_ key: String) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }
}

extension Implementation<Store> {
  static let fake = fake("fake") { Store() }
  static let real = fake("real") { Store() }
}

/// The dictionary as a model.
struct Entries: Specification {
  enum Command: Hashable, Codable, CustomStringConvertible {
    case put(String, String)
    case get(String)
    case delete(String)

    var description: String {
      switch self {
      case .put(let key, let text): "put(\"\(key)\", \"\(text)\")"
      case .get(let key): "get(\"\(key)\")"
      case .delete(let key): "delete(\"\(key)\")"
      }
    }
  }

  enum Response: Hashable {
    case done(Bool)
    case text(String?)
  }

  var initialState: [String: String] { [:] }

  func command(from choices: inout Choices, in state: [String: String]) -> Command {
    let key = choices.element(of: ["a", "b", "c", "d"], domain: "key") ?? "a"
    return switch choices.rule(of: 3) {
    case 0: .put(key, choices.element(of: ["a", "b", ""], domain: "text") ?? "")
    case 1: .get(key)
    default: .delete(key)
    }
  }

  func apply(_ command: Command, to state: inout [String: String]) -> Response {
    switch command {
    case .put(let key, let text):
      state[key] = text
      return .done(true)
    case .get(let key): return .text(state[key])
    case .delete(let key): return .done(state.removeValue(forKey: key) != nil)
    }
  }

  func perform(_ command: Command, on store: Store) async throws -> Response {
    switch command {
    case .put(let key, let text):
      store.put(key, text)
      return .done(true)
    case .get(let key): return .text(store.get(key))
    case .delete(let key): return .done(store.delete(key))
    }
  }
}
