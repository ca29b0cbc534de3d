import ContractExploration
import KeyValue

/// The model of a key-value store with random commands.
struct KeyValueSpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case get(String)
    case put(String, String)
    case compareAndSet(String, from: String?, to: String)
    case delete(String)

    var description: String {
      switch self {
      case .get(let key): "get(\(key.debugDescription))"
      case .put(let key, let value): "put(\(key.debugDescription), \(value.debugDescription))"
      case .compareAndSet(let key, let old, let new):
        "compareAndSet(\(key.debugDescription), from: \(old?.debugDescription ?? "nil"), "
          + "to: \(new.debugDescription))"
      case .delete(let key): "delete(\(key.debugDescription))"
      }
    }
  }

  enum Response: Hashable, Sendable {
    case value(String?)
    case done(Bool)
  }

  var initialState: KeyValueModel { KeyValueModel() }

  func command(from choices: inout Choices, in state: KeyValueModel) -> Command {
    let key = choices.element(of: ["a", "b"], domain: "key") ?? "a"
    // With many values, a read tells which write it saw.
    let value = choices.element(of: [""] + (1...99).map { "日\($0)" }, domain: "value") ?? ""
    return switch choices.rule(weights: [4, 4, 2, 1]) {
    case 0: .get(key)
    case 1: .put(key, value)
    case 2: .compareAndSet(key, from: choices.bool() ? state.values[key] : value, to: value)
    default: .delete(key)
    }
  }

  func apply(_ command: Command, to state: inout KeyValueModel) -> Response {
    switch command {
    case .get(let key): return .value(state.values[key])
    case .put(let key, let value):
      state.put(key, value)
      return .done(true)
    case .compareAndSet(let key, let old, let new):
      return .done(state.compareAndSet(key, from: old, to: new))
    case .delete(let key): return .done(state.delete(key))
    }
  }

  func perform(_ command: Command, on subject: KeyValueFixture) async throws -> Response {
    let store = subject.store
    do throws(KeyValueError) {
      switch command {
      case .get(let key): return .value(try await store.get(key))
      case .put(let key, let value):
        try await store.put(key, value)
        return .done(true)
      case .compareAndSet(let key, let old, let new):
        return .done(try await store.compareAndSet(key, from: old, to: new))
      case .delete(let key): return .done(try await store.delete(key))
      }
    } catch .unavailable(let reason) {
      throw CallDidNotHappen(reason)
    }
  }

  func isReadOnly(_ command: Command) -> Bool { kind(of: command) == "get" }
}
